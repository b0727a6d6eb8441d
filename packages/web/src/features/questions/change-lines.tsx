import { showBidiControls } from "@switchyard/core/text/bidi-controls"
import { clsx } from "clsx"

/** Longer changes are cut. Once a change is allowed, the file contains all of it. */
const MOST_LINES = 400

/** A change's lines: removed, added, or context. */
export function ChangeLines({ text }: { text: string }) {
  const lines = showBidiControls(text).split("\n")
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
      aria-label="The change"
      className="mt-1.5 max-h-64 overflow-auto rounded-sm border border-line bg-sheet py-1 font-mono text-xs leading-5 whitespace-pre"
    >
      {lines.slice(0, MOST_LINES).map((line, at) => (
        <span
          key={at.toString()}
          className={clsx(
            "block min-h-5 min-w-max px-2",
            line[0] === "+" && "bg-add-bg",
            line[0] === "-" && "bg-del-bg",
          )}
        >
          {line}
        </span>
      ))}
      {lines.length > MOST_LINES && (
        <span className="block px-2 text-ink-3">{lines.length - MOST_LINES} more lines</span>
      )}
    </section>
  )
}
