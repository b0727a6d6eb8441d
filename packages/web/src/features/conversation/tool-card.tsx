import { formatDuration } from "@switchyard/core/text/format"
import { useQuery } from "@tanstack/react-query"
import { clsx } from "clsx"
import type { ReactNode } from "react"
import type { ToolCall } from "../../session/stream/thread.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { ChevronDown, StatusIcon } from "../../ui/icons.tsx"
import { ChevronRight } from "../../ui/more-icons.tsx"
import { ChangePreview, more } from "./change-preview.tsx"
import { changeCounts } from "./change-rows.ts"
import { isHelper, toolTitle } from "./tool-title.ts"

interface Props {
  call: ToolCall
  /** True if its turn is over. A call without a result will then never get one. */
  isOver: boolean
  isExpanded(key: string): boolean
  onToggle(key: string): void
  /** Conversation of the sub-agent that worked for this call. */
  children: ReactNode
}

/** A tool call, with the change that it made or its output. */
export function ToolCard({ call, isOver, isExpanded, onToggle, children }: Props) {
  const { toolCallId: key, result, diff, path } = call
  const failed = result !== null && result.exitCode !== 0
  const hasOutput = result !== null && result.summary !== "" && diff === null
  const open = isExpanded(key) || (failed && !isExpanded(`${key}:closed`))
  const toggle = () => onToggle(failed ? `${key}:closed` : key)
  return (
    <section
      aria-label={labelOf(call)}
      data-tool={call.tool}
      className={clsx(
        "min-w-0 overflow-hidden rounded-md border bg-sheet text-sm",
        failed ? "border-err" : "border-line",
      )}
    >
      {hasOutput ? (
        <button
          type="button"
          aria-expanded={open}
          onClick={toggle}
          className="flex min-h-8 w-full min-w-0 items-center gap-2 px-3 py-1 text-left -outline-offset-2 hover:bg-well max-md:min-h-11"
        >
          <Head call={call} isOver={isOver} />
          {open ? (
            <ChevronDown size={14} aria-hidden className="shrink-0 text-ink-3" />
          ) : (
            <ChevronRight size={14} aria-hidden className="shrink-0 text-ink-3" />
          )}
        </button>
      ) : (
        <div className="flex min-h-8 min-w-0 items-center gap-2 px-3 py-1">
          <Head call={call} isOver={isOver} />
        </div>
      )}
      {diff !== null && (
        <ChangePreview diff={diff} path={path ?? "a file"} expanded={isExpanded(key)} onToggle={() => onToggle(key)} />
      )}
      {diff !== null && failed && (
        <Output call={call} isTold={isExpanded(`${key}:all`)} onAll={() => onToggle(`${key}:all`)} />
      )}
      {call.inner.length > 0 && (
        <div className="flex flex-col gap-2 border-t border-line bg-paper py-2 pr-2 pl-4">{children}</div>
      )}
      {hasOutput && open && !(isHelper(call.name) && call.inner.length > 0) && (
        <Output call={call} isTold={isExpanded(`${key}:all`)} onAll={() => onToggle(`${key}:all`)} />
      )}
    </section>
  )
}

function labelOf(call: ToolCall): string {
  const { verb, subject } = toolTitle(call)
  return subject ? `${verb} ${subject}` : verb
}

function Head({ call, isOver }: { call: ToolCall; isOver: boolean }) {
  const { verb, subject, isCode } = toolTitle(call)
  const { result, diff } = call
  const counts = diff === null ? null : changeCounts(diff)
  return (
    <>
      <span className="shrink-0 font-semibold">{verb}</span>
      <span className={clsx("min-w-0 flex-1 truncate text-ink-2", isCode && "font-mono text-xs")} title={subject}>
        {subject}
      </span>
      {counts && (
        <span className="shrink-0 font-mono text-xs nums">
          <span className="text-ok">+{counts.additions}</span>{" "}
          {counts.deletions > 0 && <span className="text-err">−{counts.deletions}</span>}
        </span>
      )}
      <State result={result} isOver={isOver} />
    </>
  )
}

/** Shorter times aren't worth showing. */
const WORTH_TELLING_MS = 1000

function State({ result, isOver }: { result: ToolCall["result"]; isOver: boolean }) {
  if (!result)
    return isOver ? <span className="shrink-0 text-xs text-ink-3">No result</span> : <StatusIcon state="busy" />
  const { exitCode, durationMs } = result
  return (
    <>
      {durationMs >= WORTH_TELLING_MS && (
        <span className="shrink-0 text-xs text-ink-3 nums">{formatDuration(durationMs)}</span>
      )}
      {exitCode === 0 ? (
        <StatusIcon state="done" />
      ) : (
        <span className="shrink-0 text-xs text-err">
          {exitCode === null || exitCode === 1 ? "Failed" : `Exit code ${exitCode}`}
        </span>
      )}
    </>
  )
}

/** A tool's output: its beginning, or all of it on request. */
function Output({ call, isTold, onAll }: { call: ToolCall; isTold: boolean; onAll(): void }) {
  const { summary = "", output = null } = call.result ?? {}
  const whole = useArtifact(isTold ? output : null)
  return (
    <div className="border-t border-line">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="max-h-80 overflow-auto bg-well px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {whole.data ?? summary}
      </pre>
      {output !== null && !whole.data && (
        <button type="button" disabled={whole.isFetching} onClick={onAll} className={more}>
          {whole.error
            ? `Couldn't load the output. ${whole.error.message}`
            : whole.isFetching
              ? "Loading…"
              : "Show all output"}
        </button>
      )}
    </div>
  )
}

/** Longer texts are truncated, because browsers can't draw what a program may print in a minute. */
const MOST_CHARS = 200_000

/** Loads the text of one of the session's artifacts; nothing if the path is null. */
function useArtifact(path: string | null) {
  const { sessionId, api } = useShownSession()
  return useQuery({
    queryKey: ["artifact", sessionId, path],
    enabled: path !== null,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const place = { path: { id: sessionId, sha256: path?.slice("artifacts/".length) ?? "" } }
      const text = await api.text("GET /api/v1/sessions/{id}/artifacts/{sha256}", { ...place, signal })
      return text.length > MOST_CHARS
        ? `${text.slice(0, MOST_CHARS)}\n… ${text.length - MOST_CHARS} more characters`
        : text
    },
  })
}
