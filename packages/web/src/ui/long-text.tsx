import type { ReactNode } from "react"

/** Longer texts are cut until the reader expands them. */
const LONG = { chars: 480, lines: 8 }

/** A person's or an agent's text, shown verbatim. Long texts are cut, with a button that shows the rest. */
export function LongText({ text, expanded, onToggle }: { text: string; expanded: boolean; onToggle(): void }) {
  const isLong = text.length > LONG.chars || text.split("\n", LONG.lines + 1).length > LONG.lines
  return (
    <>
      <p className={`whitespace-pre-wrap wrap-anywhere ${isLong && !expanded ? "line-clamp-6" : ""}`}>{text}</p>
      {isLong && (
        <MoreButton expanded={expanded} onToggle={onToggle}>
          {expanded ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}
        </MoreButton>
      )}
    </>
  )
}

/** Shows or hides what doesn't fit. */
export function MoreButton(props: { expanded: boolean; onToggle(): void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-expanded={props.expanded}
      onClick={props.onToggle}
      className="mt-1 min-h-6 text-sm text-accent underline underline-offset-2"
    >
      {props.children}
    </button>
  )
}

/** Output of a command, if it printed any. */
export function Printed({ output, className = "mt-1 max-h-64" }: { output: string; className?: string }) {
  if (output === "") return null
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
      tabIndex={0}
      className={`${className} overflow-auto rounded-sm bg-well p-2 font-mono text-xs whitespace-pre-wrap text-ink`}
    >
      {output}
    </pre>
  )
}
