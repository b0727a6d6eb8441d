import { clsx } from "clsx"
import { type KeyboardEvent, useState } from "react"
import { IconButton } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { ChevronDown } from "../../ui/icons.tsx"
import { ChevronUp, GripVertical } from "../../ui/more-icons.tsx"
import { moved, type TrainEntry } from "./train-order.ts"

interface Props {
  entries: TrainEntry[]
  /** Worktrees that are left out. */
  left: readonly string[]
  nameOf(worktree: string): string
  onOrder(order: readonly string[]): void
  onToggle(worktree: string): void
}

/** The worktrees in merge order, which can be changed by dragging, with Alt and an arrow key, or with buttons. */
export function TrainEntryList({ entries, left, nameOf, onOrder, onToggle }: Props) {
  const names = entries.map(({ worktree }) => worktree)
  const [dragged, setDragged] = useState<string | null>(null)
  const [told, setTold] = useState("")

  function move(from: number, to: number): void {
    const next = moved(names, from, to)
    if (next === names) return
    onOrder(next)
    setTold(`Moved ${names[from]} to position ${to + 1} of ${names.length}.`)
  }

  function pressed(event: KeyboardEvent, index: number): void {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0
    if (by === 0 || !event.altKey) return
    event.preventDefault()
    move(index, index + by)
  }

  return (
    <>
      <ol className="overflow-hidden rounded-md border border-line bg-sheet">
        {entries.map(({ worktree, collidesWith }, index) => (
          <li
            key={worktree}
            draggable
            aria-label={worktree}
            onKeyDown={(event) => pressed(event, index)}
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = "move"
              setDragged(worktree)
            }}
            onDragOver={(event) => {
              if (dragged === null) return
              event.preventDefault()
              move(names.indexOf(dragged), index)
            }}
            onDrop={(event) => event.preventDefault()}
            onDragEnd={() => setDragged(null)}
            className={clsx(
              "flex items-center gap-3 border-b border-line px-3 py-2 last:border-b-0",
              dragged === worktree && "bg-accent-bg",
            )}
          >
            <GripVertical size={14} aria-hidden className="shrink-0 cursor-grab text-ink-3 max-md:hidden" />
            <span aria-hidden className="w-4 shrink-0 text-right text-sm text-ink-3 nums">
              {index + 1}
            </span>
            <div className="min-w-0 flex-1">
              <Checkbox
                label={<Label worktree={worktree} agent={nameOf(worktree)} />}
                hint={collidesWith.length > 0 ? <Collisions of={collidesWith} /> : undefined}
                value={!left.includes(worktree)}
                onChange={() => onToggle(worktree)}
              />
            </div>
            <IconButton label={`Move ${worktree} up`} disabled={index === 0} onClick={() => move(index, index - 1)}>
              <ChevronUp size={16} aria-hidden />
            </IconButton>
            <IconButton
              label={`Move ${worktree} down`}
              disabled={index === names.length - 1}
              onClick={() => move(index, index + 1)}
            >
              <ChevronDown size={16} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ol>
      <p role="status" className="unseen">
        {told}
      </p>
    </>
  )
}

function Label({ worktree, agent }: { worktree: string; agent: string }) {
  return (
    <>
      <span className="font-semibold">{worktree}</span>
      {agent !== "" && agent !== worktree && <span className="ml-2 text-sm text-ink-3">{agent}</span>}
    </>
  )
}

function Collisions({ of }: { of: TrainEntry["collidesWith"] }) {
  return (
    <span className="text-err">
      Would conflict with {of.map(({ worktree, file }) => `${worktree} (${file})`).join(", ")}
    </span>
  )
}
