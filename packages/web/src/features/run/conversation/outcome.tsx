import { formatCount, formatDuration } from "@switchyard/core/text/format"
import type { ReactNode } from "react"
import type { RunActions } from "../../../session/actions/use-run-actions.ts"
import type { Turn } from "../../../session/stream/conversation.ts"
import type { RunView } from "../../../session/stream/run.ts"
import { Button } from "../../../ui/button.tsx"
import { StatusIcon } from "../../../ui/icons.tsx"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Notice } from "../../../ui/notice.tsx"

const RunPrice = lazyPart(async () => (await import("./run-price.tsx")).RunPrice)

interface Props {
  turn: Turn
  /**
   * Null for a run that can't be started again from here, because it isn't the latest or an earlier moment is shown.
   */
  actions: RunActions | null
}

const ENDS = {
  stopped: { icon: "idle", words: "Stopped" },
  unchanged: { icon: "needs_input", words: "Nothing changed" },
  warned: { icon: "needs_input", words: "Done with a warning" },
  done: { icon: "done", words: "Done" },
} as const

/** The outcome of a run, and how much it used. */
export function Outcome({ turn, actions }: Props) {
  const { run } = turn
  if (run.error) return <Failure turn={turn} error={run.error} actions={actions} />
  const end = run.status === "cancelled" ? "stopped" : run.warning ? (turn.plan ? "warned" : "unchanged") : "done"
  const { icon, words } = ENDS[end]
  return (
    <div data-outcome={run.status} className="px-1 text-sm">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="flex items-center gap-1.5 font-semibold">
          <StatusIcon state={icon} label={null} /> {words}
        </span>
        <Facts turn={turn} />
        <RunPrice runId={run.runId} />
      </p>
      {run.warning && (
        <Notice tone="need" className="mt-1.5">
          {run.warning}
        </Notice>
      )}
      {end === "stopped" && actions && turn.plan && (
        <p className="mt-1.5">
          <Button size="sm" onClick={() => actions.resume(run.runId)} disabled={actions.starting}>
            Resume
          </Button>
        </p>
      )}
    </div>
  )
}

interface FailureProps extends Props {
  error: NonNullable<RunView["error"]>
}

function Failure({ turn, error: { message, hint }, actions }: FailureProps) {
  const { run, plan } = turn
  const content: ReactNode = (
    <>
      <p className="font-semibold text-err">Failed</p>
      <p className="whitespace-pre-line">{message}</p>
      {!message.includes(hint) && <p className="text-ink-2">{hint}</p>}
      <p className="mt-1 flex flex-wrap gap-x-2">
        <Facts turn={turn} />
        <RunPrice runId={run.runId} />
      </p>
    </>
  )
  if (!actions) {
    return (
      <div data-outcome="failed" className="border-l-4 border-err bg-sheet px-3 py-2 text-sm">
        {content}
      </div>
    )
  }
  return (
    <Notice tone="err">
      <div data-outcome="failed">{content}</div>
      <div className="mt-2 flex flex-wrap gap-2">
        {plan && (
          <Button size="sm" tone="primary" disabled={actions.starting} onClick={() => actions.resume(run.runId)}>
            Resume
          </Button>
        )}
        <Button size="sm" disabled={actions.starting} onClick={() => actions.start(requestOf(run))}>
          {plan ? "Start over" : "Try again"}
        </Button>
      </div>
    </Notice>
  )
}

const changed = ["written", "renamed", "deleted"]

function Facts({ turn: { run, plan } }: { turn: Turn }) {
  const { tokens, durationMs } = run
  const files = plan?.files.filter(({ state }) => changed.includes(state)).length
  const facts = [
    files !== undefined && formatCount(files, "file"),
    tokens && `${formatTokens(tokens.input + tokens.output)} tokens`,
    durationMs !== null && durationMs > 0 && formatDuration(durationMs),
  ].filter(Boolean)
  const title = tokens
    ? `${tokens.input.toLocaleString("en")} tokens in, ${tokens.output.toLocaleString("en")} out`
    : undefined
  return (
    <span className="text-ink-3 nums" title={title}>
      {facts.join(" · ")}
    </span>
  )
}

/** Formats a number of tokens briefly: 812, 4.1k, 41k, 1.2M. */
function formatTokens(count: number): string {
  if (count < 1000) return String(count)
  if (count < 10_000) return `${(Math.floor(count / 100) / 10).toString()}k`
  if (count < 1_000_000) return `${Math.floor(count / 1000)}k`
  return `${(Math.floor(count / 100_000) / 10).toString()}M`
}

/** Returns a run's request, to send it again. Its images are the session's already. */
function requestOf({ prompt, images = [] }: RunView) {
  return { prompt, images: images.map(({ path, name }, at) => ({ src: path, name: name ?? `Image ${at + 1}` })) }
}
