import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from "react"
import { elementName } from "../../elements/element-name.ts"
import type { Direction, Inspector } from "./use-inspector.ts"

const directions: Record<string, Direction> = {
  ArrowRight: "next",
  ArrowLeft: "previous",
  ArrowUp: "parent",
  ArrowDown: "child",
}

/**
 * Covers the page while an element is being selected, and outlines the element. The page receives neither the pointer
 * nor the keys, so its own handlers don't run.
 */
export function InspectorOverlay({ inspector, onLeave }: { inspector: Inspector; onLeave(): void }) {
  const { element, ask, pick } = inspector
  const cover = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = document.activeElement
    cover.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])

  const pressed = (event: KeyboardEvent) => {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey) return
    const move = key === "Tab" ? (shiftKey ? "previous" : "next") : directions[key]
    if (key === "Escape") onLeave()
    else if (key === "Enter" || key === " ") pick()
    else if (move) ask({ move })
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const pointed = (event: PointerEvent) => {
    const at = pointIn(event)
    const isDrag = event.pointerType === "touch"
    if (isDrag) ask({ at, scroll: { ...at, dx: -event.movementX, dy: -event.movementY } })
    else ask({ at })
  }
  return (
    <div
      ref={cover}
      role="application"
      aria-label="Select an element"
      aria-description="Press Tab or an arrow key to move between elements, Enter to select one, or Escape to cancel."
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the keys
      tabIndex={0}
      className="absolute inset-0 cursor-crosshair touch-none overflow-hidden -outline-offset-2"
      onKeyDown={pressed}
      onPointerMove={pointed}
      onWheel={(event) => {
        const at = pointIn(event)
        ask({ at, scroll: { ...at, dx: event.deltaX, dy: event.deltaY } })
      }}
      onClick={(event) => pick(pointIn(event))}
    >
      <p role="status" className="unseen">
        {element && elementName(element)}
      </p>
      {element && <Outline {...element} />}
    </div>
  )
}

function Outline({ tag, selector, box: { x, y, width, height } }: NonNullable<Inspector["element"]>) {
  // Above the element if there is room, else inside of it.
  const top = y < 22 ? Math.max(0, y) : y - 22
  return (
    <div aria-hidden className="pointer-events-none">
      <div
        data-outline={selector}
        style={{ left: x, top: y, width, height }}
        className="absolute border-2 border-accent bg-accent/15"
      />
      <div
        style={{ left: Math.max(0, x), top }}
        className="absolute max-w-72 truncate rounded-sm bg-accent px-1.5 font-mono text-xs leading-[22px] text-sheet"
      >
        {elementName({ tag, selector })}
      </div>
    </div>
  )
}

/** Returns a position in the page's own pixels, even if the frame is scaled. */
function pointIn({ nativeEvent: { offsetX, offsetY } }: { nativeEvent: MouseEvent }) {
  return { x: offsetX, y: offsetY }
}
