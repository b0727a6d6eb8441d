import { clsx } from "clsx"
import { useMemo } from "react"
import { ChangeLine, useRowColors } from "./change-line.tsx"
import { changeRows } from "./change-rows.ts"

/** Longer changes are cut until the reader expands them. */
const FOLDED_LINES = 14

interface Props {
  /** Lines that begin with - and +. */
  diff: string
  path: string
  expanded: boolean
  onToggle(): void
}

/** The lines of an edit, with the differences marked. */
export function ChangePreview({ diff, path, expanded, onToggle }: Props) {
  const rows = useMemo(() => changeRows(diff), [diff])
  const shown = expanded ? rows : rows.slice(0, FOLDED_LINES)
  const spans = useRowColors(rows, path)
  const left = rows.length - shown.length
  return (
    <div className="border-t border-line">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        aria-label={`Changes to ${path}`}
        className={clsx(
          "overflow-x-auto bg-sheet py-1 font-mono text-xs leading-5",
          expanded && "max-h-[60vh] overflow-y-auto",
        )}
      >
        <div className="w-max min-w-full">
          {shown.map((row, at) => (
            <ChangeLine key={at.toString()} row={row} spans={spans[at]} />
          ))}
        </div>
      </section>
      {(left > 0 || (expanded && rows.length > FOLDED_LINES)) && (
        <button type="button" aria-expanded={expanded} onClick={onToggle} className={more}>
          {expanded ? "Show less" : `Show ${left} more ${left === 1 ? "line" : "lines"}`}
        </button>
      )}
    </div>
  )
}

export const more =
  "block min-h-7 w-full border-t border-line px-3 text-left text-xs text-ink-2 -outline-offset-2 hover:bg-well hover:text-ink max-md:min-h-11"
