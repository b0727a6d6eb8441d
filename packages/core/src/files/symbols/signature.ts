const MAX_SIGNATURE_CHARS = 160

/** A text on one line, without what announces a body, and no longer than a reader of an outline needs. */
export function oneLine(text: string): string {
  if (text.length <= MAX_SIGNATURE_CHARS && /^\w+$/.test(text)) return text
  // Cut before anything else, so that no text takes longer than another.
  const words = text
    .slice(0, 4 * MAX_SIGNATURE_CHARS)
    .split(/\s+/)
    .filter(Boolean)
    .join(" ")
  const line = words.replaceAll("( ", "(").replaceAll(", )", ")").replaceAll(" )", ")")
  const shown = line.length > MAX_SIGNATURE_CHARS ? `${line.slice(0, MAX_SIGNATURE_CHARS).toWellFormed()}…` : line
  return withoutEnd(shown)
}

/** A brace, colon or sign before a body that is left out. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 1 && " {([:=;,".includes(text[end - 1] ?? "")) {
    if (text.slice(0, end).endsWith("=>")) break
    end--
  }
  return text.slice(0, end)
}
