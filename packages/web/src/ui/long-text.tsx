/** A text longer than this is cut until the reader asks for all of it. */
const LONG = { chars: 480, lines: 8 }

/** A person's or an agent's text as it was written; a long one is cut, with a button that shows all of it. */
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
