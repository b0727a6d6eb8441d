import type { Turn } from "../../../session/stream/conversation.ts"
import { momentOf, shortTime } from "../../../ui/time.ts"

/** A request longer than this is cut until the reader asks for all of it. */
const LONG = { chars: 480, lines: 8 }

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
  const { prompt } = run
  const isLong = prompt.length > LONG.chars || prompt.split("\n", LONG.lines + 1).length > LONG.lines
  return (
    <article aria-labelledby={`request-${run.runId}`} data-run={run.runId} className="ml-auto w-fit max-w-[92%]">
      <h3 id={`request-${run.runId}`} className="unseen">
        Request {number}
      </h3>
      {resumes ? (
        <p className="rounded-md bg-well px-3 py-2 text-sm text-ink-2">Resumed with the plan above</p>
      ) : (
        <div className="rounded-md bg-well px-3 py-2">
          <p className={`whitespace-pre-wrap ${isLong && !expanded ? "line-clamp-6" : ""}`}>{prompt}</p>
          {isLong && (
            <button
              type="button"
              aria-expanded={expanded}
              onClick={onToggle}
              className="mt-1 min-h-6 text-sm text-accent underline underline-offset-2"
            >
              {expanded ? "Show less" : `Show all ${prompt.length.toLocaleString("en")} characters`}
            </button>
          )}
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
