import type { Turn } from "../../../session/stream/conversation.ts"
import { momentOf, shortTime } from "../../../ui/time.ts"
import { LongText } from "../../conversation/long-text.tsx"

interface Props {
  turn: Turn
  number: number
  expanded: boolean
  onToggle(): void
  /** Goes to the moment at which it was asked. */
  onGo(): void
}

/** A request, word for word. */
export function RequestCard({ turn: { run, resumes }, number, expanded, onToggle, onGo }: Props) {
  return (
    <article aria-labelledby={`request-${run.runId}`} data-run={run.runId} className="ml-auto w-fit max-w-[92%]">
      <h3 id={`request-${run.runId}`} className="unseen">
        Request {number}
      </h3>
      {resumes ? (
        <p className="rounded-md bg-well px-3 py-2 text-sm text-ink-2">Resumed with the plan above</p>
      ) : (
        <div className="rounded-md bg-well px-3 py-2">
          <LongText text={run.prompt} expanded={expanded} onToggle={onToggle} />
        </div>
      )}
      <p className="mt-0.5 flex items-center justify-end gap-2 text-xs text-ink-3 nums">
        <span className="min-w-0 truncate">{run.agent ?? run.model}</span>
        <button
          type="button"
          onClick={onGo}
          title={`Go to this moment: ${momentOf(run.startedAt)}`}
          className="min-h-6 shrink-0 rounded-sm px-1 hover:text-ink hover:underline"
        >
          <time dateTime={run.startedAt}>{shortTime(run.startedAt)}</time>
        </button>
      </p>
    </article>
  )
}
