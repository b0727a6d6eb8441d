import { type KeyboardEvent, useEffect, useRef } from "react"
import type { DraftChange } from "./tree-dialogs.tsx"
import type { TreeEntry } from "./tree-index.ts"

interface Props {
  entry: TreeEntry
  /** The menu opens below this element, or above it where there is no room. */
  anchor: HTMLElement
  onDraft(draft: DraftChange): void
  onClose(): void
}

const WIDTH = 200
const ROW = 36

/** The actions on one row. */
export function RowMenu({ entry, anchor, onDraft, onClose }: Props) {
  const menu = useRef<HTMLDivElement>(null)
  const choices = choicesFor(entry)
  useEffect(() => {
    const shown = menu.current
    const from = document.activeElement
    shown?.showPopover()
    shown?.querySelector<HTMLElement>("[role=menuitem]")?.focus()
    return () => {
      if (shown?.contains(document.activeElement) && from instanceof HTMLElement) from.focus()
    }
  }, [])

  function choose(draft: DraftChange) {
    onClose()
    onDraft(draft)
  }

  return (
    <div
      ref={menu}
      popover="auto"
      role="menu"
      aria-label={`Actions for ${entry.name}`}
      onToggle={(event) => event.newState === "closed" && onClose()}
      onKeyDown={(event) => move(event, menu.current, onClose)}
      style={placeBy(anchor.getBoundingClientRect(), choices.length * ROW + 10)}
      className="fixed m-0 w-[200px] rounded-md border border-strong bg-sheet p-1 text-ink"
    >
      {choices.map(({ name, key, draft }) => (
        <button
          key={name}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => choose(draft)}
          className="flex h-9 w-full items-center justify-between rounded-sm px-2.5 text-left text-sm hover:bg-well focus-visible:bg-well focus-visible:outline-offset-[-2px] max-md:h-11"
        >
          {name}
          {key && <kbd className="border-line text-ink-3">{key}</kbd>}
        </button>
      ))}
    </div>
  )
}

function choicesFor(entry: TreeEntry): { name: string; key?: string; draft: DraftChange }[] {
  const inside = [
    { name: "New file here", draft: { type: "file", folder: entry.path } as const },
    { name: "New folder here", draft: { type: "folder", folder: entry.path } as const },
  ]
  return [
    ...(entry.kind === "folder" ? inside : []),
    { name: "Rename or move", key: "F2", draft: { type: "rename", entry } },
    { name: "Delete", key: "Del", draft: { type: "delete", entry } },
  ]
}

function placeBy(row: DOMRect, height: number): { left: number; top: number } {
  const fits = row.bottom + height < window.innerHeight
  return {
    left: Math.max(8, Math.min(row.left, window.innerWidth - WIDTH - 8)),
    top: fits ? row.bottom : Math.max(8, row.top - height),
  }
}

function move(event: KeyboardEvent, menu: HTMLElement | null, onClose: () => void): void {
  const items = [...(menu?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const places: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  }
  const to = places[event.key]
  if (event.key === "Tab") onClose()
  if (to === undefined) return
  event.preventDefault()
  event.stopPropagation()
  items[to]?.focus()
}
