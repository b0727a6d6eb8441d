/** Longer texts are cut until the reader expands them. */
const LONG = { chars: 480, lines: 8 }

/** A person's or an agent's text, shown verbatim. Long texts are cut, with a button that shows the rest. */
export function LongText({ text, expanded, onToggle }: { text: string; expanded: boolean; onToggle(): void }) {
  const isLong = text.length > LONG.chars || text.split("\n", LONG.lines + 1).length > LONG.lines
  return (
    <>
      <p className={`whitespace-pre-wrap wrap-anywhere ${isLong && !expanded ? "line-clamp-6" : ""}`}>{text}</p>
      {isLong && (
        <button
          type="button"
          aria-expanded={expanded}
          onClick={onToggle}
          className="mt-1 min-h-6 text-sm text-accent underline underline-offset-2"
        >
          {expanded ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}
        </button>
      )}
    </>
  )
}
