import { useMemo } from "react"
import { ChangeLine, useRowColors } from "../conversation/change-line.tsx"
import { changeRows } from "../conversation/change-rows.ts"

/** Longer changes are cut. Once a change is allowed, the file contains all of it. */
const MOST_LINES = 400

/** A change's lines: removed, added, or context. */
export function ChangeLines({ text, path }: { text: string; path: string }) {
  const rows = useMemo(() => changeRows(text), [text])
  const spans = useRowColors(rows, path)
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
      aria-label="Proposed change"
      className="mt-1.5 max-h-64 overflow-auto rounded-sm border border-line bg-sheet py-1 font-mono text-xs leading-5"
    >
      <div className="w-max min-w-full">
        {rows.slice(0, MOST_LINES).map((row, at) => (
          <ChangeLine key={at.toString()} row={row} spans={spans[at]} />
        ))}
      </div>
      {rows.length > MOST_LINES && <span className="block px-2 text-ink-3">{rows.length - MOST_LINES} more lines</span>}
    </section>
  )
}
