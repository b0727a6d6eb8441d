import { formatCount } from "@switchyard/core/text/format"
import type { Session } from "../../api/session.ts"
import { Button } from "../../ui/button.tsx"

interface Props {
  sessions: Session[]
  onArchive(): void
  onStop(): void
  onDelete(): void
  onClear(): void
}

/** Actions on the selected sessions. Stays in sight while the board scrolls. */
export function SelectionBar({ sessions, onArchive, onStop, onDelete, onClear }: Props) {
  const canStop = sessions.some(({ active }) => active)
  return (
    <div
      role="toolbar"
      aria-label="Selected sessions"
      className="sticky bottom-4 z-2 mx-auto mt-4 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-md border border-strong bg-sheet px-3 py-2 shadow-[0_4px_20px_rgb(0_0_0/0.2)]"
    >
      <span className="mr-2 text-sm nums">{formatCount(sessions.length, "session")} selected</span>
      <Button size="sm" onClick={onArchive}>
        {sessions.every(({ archived }) => archived) ? "Restore" : "Archive"}
      </Button>
      {canStop && (
        <Button size="sm" onClick={onStop}>
          Stop
        </Button>
      )}
      <Button size="sm" tone="danger" onClick={onDelete}>
        Delete
      </Button>
      <Button size="sm" tone="quiet" onClick={onClear}>
        Clear selection
      </Button>
    </div>
  )
}
