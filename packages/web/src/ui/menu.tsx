import { type KeyboardEvent, useLayoutEffect, useRef } from "react"

export interface MenuItem {
  name: string
  /** Shortcut for the same action. */
  key?: string
  danger?: boolean
  /** Identifies the item for automation. */
  action?: string
  run(): void
}

interface Props {
  label: string
  items: MenuItem[]
  /** The menu opens below this element, or above it if there is no room. */
  anchor: HTMLElement
  onClose(): void
}

const WIDTH = 200
const ROW = 36

/** Menu of actions, open while it is mounted. When it closes, the focus returns to where it was. */
export function Menu({ label, items, anchor, onClose }: Props) {
  const menu = useRef<HTMLDivElement>(null)
  const from = useRef<Element>(null)
  // Before the menu is removed, because the focus is lost with the focused item.
  useLayoutEffect(() => {
    const shown = menu.current
    from.current = document.activeElement
    shown?.showPopover()
    shown?.querySelector<HTMLElement>("[role=menuitem]")?.focus()
    return () => returnFocus(shown, from.current)
  }, [])

  return (
    <div
      ref={menu}
      popover="auto"
      role="menu"
      aria-label={label}
      onToggle={(event) => event.newState === "closed" && onClose()}
      onKeyDown={(event) => move(event, menu.current, onClose)}
      style={placeBy(anchor.getBoundingClientRect(), items.length * ROW + 10)}
      className="fixed m-0 w-[200px] rounded-md border border-strong bg-sheet p-1 text-ink"
    >
      {items.map(({ name, key, danger, action, run }) => (
        <button
          key={name}
          type="button"
          role="menuitem"
          tabIndex={-1}
          data-agent-action={action}
          onClick={() => {
            // A dialog returns the focus to where it was when the dialog opened.
            returnFocus(menu.current, from.current)
            onClose()
            run()
          }}
          className={`flex h-9 w-full items-center justify-between rounded-sm px-2.5 text-left text-sm hover:bg-well focus-visible:bg-well focus-visible:outline-offset-[-2px] max-md:h-11 ${danger ? "text-err" : ""}`}
        >
          {name}
          {key && <kbd className="border-line text-ink-3 max-md:hidden">{key}</kbd>}
        </button>
      ))}
    </div>
  )
}

function returnFocus(menu: HTMLElement | null, from: Element | null): void {
  if (menu?.contains(document.activeElement) && from instanceof HTMLElement) from.focus()
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
