import { clsx } from "clsx"
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react"

interface Props {
  /** Side by side, or one above the other. */
  direction: "row" | "column"
  /** Description of what the separator resizes, for screen readers. */
  label: string
  /** The first part's share in percent, until the reader changes it. */
  initial: number
  /** Minimum sizes of both parts, in pixels. */
  least: readonly [first: number, second: number]
  /** Null hides a part; the other one stays mounted and takes all the room. */
  first: ReactNode
  second: ReactNode
}

const STEP = 2
const shapes = {
  row: "w-px cursor-ew-resize after:inset-y-0 after:-left-1 after:w-2",
  column: "h-px cursor-ns-resize after:inset-x-0 after:-top-1 after:h-2",
}
const keys = {
  row: { ArrowLeft: -STEP, ArrowRight: STEP, Home: -100, End: 100 },
  column: { ArrowUp: -STEP, ArrowDown: STEP, Home: -100, End: 100 },
} satisfies Record<Props["direction"], Record<string, number>>

/** Two parts, with a separator between them that can be dragged or moved with the arrow keys. */
export function Split({ direction, label, initial, least, first, second }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const [share, setShare] = useState(initial)
  const isRow = direction === "row"
  const isSplit = first !== null && second !== null
  // Without room for both minimum sizes, the parts share it in proportion to them.
  const minimum = (at: 0 | 1) => `min(${least[at]}px, ${Math.floor((99 * least[at]) / (least[0] + least[1]))}%)`
  const tracks = isSplit
    ? `minmax(${minimum(0)}, ${share}fr) 1px minmax(${minimum(1)}, ${100 - share}fr)`
    : "minmax(0, 1fr)"

  function resize(percent: number): void {
    const { width, height } = frame.current?.getBoundingClientRect() ?? { width: 0, height: 0 }
    const size = isRow ? width : height
    const [from, to] = [(least[0] / size) * 100, 100 - (least[1] / size) * 100]
    if (from < to) setShare(Math.min(to, Math.max(from, percent)))
  }

  function drag({ currentTarget, pointerId, clientX, clientY }: PointerEvent<HTMLElement>): void {
    const box = frame.current?.getBoundingClientRect()
    if (!box || !currentTarget.hasPointerCapture(pointerId)) return
    resize(isRow ? ((clientX - box.left) / box.width) * 100 : ((clientY - box.top) / box.height) * 100)
  }

  function press(event: KeyboardEvent): void {
    const by: number | undefined = (keys[direction] as Record<string, number>)[event.key]
    if (by === undefined) return
    event.preventDefault()
    resize(share + by)
  }

  return (
    <div
      ref={frame}
      className="grid h-full min-h-0 min-w-0"
      style={
        isRow
          ? { gridTemplateColumns: tracks, gridTemplateRows: "minmax(0, 1fr)" }
          : { gridTemplateRows: tracks, gridTemplateColumns: "minmax(0, 1fr)" }
      }
    >
      {first !== null && <div className="min-h-0 min-w-0 overflow-hidden">{first}</div>}
      {isSplit && (
        // biome-ignore lint/a11y/useSemanticElements: a rule can't be moved
        <div
          role="separator"
          tabIndex={0}
          aria-label={label}
          aria-orientation={isRow ? "vertical" : "horizontal"}
          aria-valuenow={Math.round(share)}
          onPointerDown={(event) => {
            event.preventDefault()
            event.currentTarget.focus()
            event.currentTarget.setPointerCapture(event.pointerId)
          }}
          onPointerMove={drag}
          onKeyDown={press}
          className={clsx(
            "relative z-1 touch-none bg-line outline-offset-0 after:absolute hover:bg-accent focus:bg-accent active:bg-accent",
            shapes[direction],
          )}
        />
      )}
      {second !== null && <div className="min-h-0 min-w-0 overflow-hidden">{second}</div>}
    </div>
  )
}
