import { useState } from "react"
import type { Session } from "../../api/session.ts"
import { Button } from "../../ui/button.tsx"
import { columnTitles } from "./board-filter.ts"
import { SessionCard } from "./session-card.tsx"
import type { Selection } from "./use-selection.ts"

/** Cards that a column shows at first, and adds each time. More would make the page slow. */
const SHOWN = 15

interface Props {
  column: Session["column"]
  sessions: Session[]
  selection: Selection
  onAnswer(session: Session): void
}

export function BoardColumn({ column, sessions, selection, onAnswer }: Props) {
  const [shown, setShown] = useState(SHOWN)
  const more = sessions.length - shown
  return (
    <section
      data-column={column}
      aria-labelledby={`column-${column}`}
      className={`min-w-0 ${sessions.length === 0 ? "max-lg:hidden" : ""}`}
    >
      <h2 id={`column-${column}`} className="mb-2 flex items-baseline gap-2 px-0.5 text-sm font-semibold">
        {columnTitles[column]} <span className="font-normal text-ink-3 nums">{sessions.length}</span>
      </h2>
      <ul className="flex flex-col gap-2">
        {sessions.slice(0, shown).map((session) => (
          <SessionCard
            key={session.id}
            session={session}
            isSelected={selection.ids.has(session.id)}
            isSelecting={selection.ids.size > 0}
            onSelect={(options) => selection.toggle(session.id, options)}
            onAnswer={() => onAnswer(session)}
          />
        ))}
      </ul>
      {sessions.length === 0 && (
        <p className="rounded-md border border-dashed border-line px-3 py-4 text-sm text-ink-3">{empty[column]}</p>
      )}
      {more > 0 && (
        <Button size="sm" tone="quiet" className="mt-2 w-full" onClick={() => setShown(shown + SHOWN)}>
          Show {Math.min(more, SHOWN)} more
        </Button>
      )}
    </section>
  )
}

const empty = {
  needs_you: "Questions from agents appear here.",
  working: "Nothing is running.",
  review: "Results to review appear here.",
  done: "Nothing here yet.",
} satisfies Record<Session["column"], string>
