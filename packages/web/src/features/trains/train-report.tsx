import { paths } from "../../session/context/routes.ts"
import { isRunning } from "../../session/stream/run.ts"
import type { TrainStepView, TrainView } from "../../session/stream/train.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { type IconState, StatusIcon } from "../../ui/icons.tsx"
import { LoopDetector } from "../../ui/session-icons.tsx"
import { TextLink } from "../../ui/text-link.tsx"

interface Props {
  train: TrainView
  nameOf(worktree: string): string
  /** Null if nothing can be changed. */
  onStop: ((runId: string) => void) | null
}

/** The latest merge queue: the outcome of each entry, and where and why it stopped. */
export function TrainReport({ train, nameOf, onStop }: Props) {
  const { run, worktrees, steps } = train
  const running = isRunning(run)
  return (
    <section aria-labelledby="train-report" className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="train-report" aria-live="polite" className="text-base font-semibold">
          {titleOf(train)}
        </h2>
        {running && onStop && (
          <Button size="sm" tone="danger" disabled={run.cancelRequested} onClick={() => onStop(run.runId)}>
            <LoopDetector size={14} aria-hidden /> {run.cancelRequested ? "Stopping" : "Stop queue"}
          </Button>
        )}
      </div>
      <ol className="overflow-hidden rounded-md border border-line bg-sheet">
        {worktrees.map((worktree, index) => (
          <Entry
            key={worktree}
            worktree={worktree}
            agent={nameOf(worktree)}
            step={steps.find((one) => one.worktree === worktree)}
            isCurrent={running && index === steps.length}
            checks={train.checks}
          />
        ))}
      </ol>
      {run.error && steps.every(({ status }) => goesOn(status)) && (
        <p className="text-sm text-err">{run.error.message}</p>
      )}
    </section>
  )
}

interface EntryProps {
  worktree: string
  agent: string
  step: TrainStepView | undefined
  /** True if it is being merged. */
  isCurrent: boolean
  checks: boolean
}

function Entry({ worktree, agent, step, isCurrent, checks }: EntryProps) {
  const { sessionId } = useShownSession()
  const state: IconState = step ? (goesOn(step.status) ? "done" : "error") : isCurrent ? "busy" : "idle"
  const words = step ? wordsOf(step) : isCurrent ? (checks ? "Merging, then running checks" : "Merging") : "Not merged"
  return (
    <li aria-label={worktree} className="flex items-start gap-3 border-b border-line px-3 py-2.5 last:border-b-0">
      <span className="flex h-5 items-center">
        <StatusIcon state={state} label={null} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-semibold">{worktree}</span>
          {agent !== "" && agent !== worktree && <span className="text-sm text-ink-3">{agent}</span>}
          <span className={state === "error" ? "text-sm text-err" : "text-sm text-ink-2"}>{words}</span>
          {step?.commit && <code className="text-xs text-ink-3">{step.commit.slice(0, 8)}</code>}
        </p>
        {step && !goesOn(step.status) && (
          <p className="mt-1 text-sm break-words whitespace-pre-wrap text-ink-2">{step.message}</p>
        )}
        {step && step.conflicts.length > 0 && (
          <>
            <ul className="mt-1 font-mono text-xs text-ink-2">
              {step.conflicts.map((file) => (
                <li key={file}>{file}</li>
              ))}
            </ul>
            <TextLink href={paths.changesOf(sessionId, worktree)} className="mt-1 inline-block text-sm">
              Resolve conflicts
            </TextLink>
          </>
        )}
      </div>
    </li>
  )
}

const WORDS: { [status: string]: string } = {
  merged: "Merged",
  nothing_to_merge: "Nothing to merge",
  conflicts: "Conflicts",
  refused: "Merge failed",
  check_failed: "Merged, check failed",
}

const CHECKS: { [status: string]: string } = { passed: ", checked", not_run: ", no checks found" }

function wordsOf({ status, check }: TrainStepView): string {
  return (WORDS[status] ?? status) + (status === "merged" && check !== null ? (CHECKS[check] ?? "") : "")
}

function goesOn(status: string): boolean {
  return status === "merged" || status === "nothing_to_merge"
}

function titleOf({ run, worktrees, steps }: TrainView): string {
  const stopped = steps.find(({ status }) => !goesOn(status))
  if (isRunning(run)) return `Merging ${steps.length + 1} of ${worktrees.length}`
  if (run.status === "cancelled") return `Stopped after ${steps.length} of ${worktrees.length}`
  if (stopped) return `Stopped at ${stopped.worktree}`
  return run.status === "completed" ? "All merged" : "Merge queue failed"
}
