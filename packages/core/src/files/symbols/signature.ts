const MAX_SIGNATURE_CHARS = 160

/** Returns a text on one line, without the token that begins a body, cut to the length needed in an outline. */
export function oneLine(text: string): string {
  if (text.length <= MAX_SIGNATURE_CHARS && /^\w+$/.test(text)) return text
  // Cut first, so that no text takes longer than another.
  const words = text
    .slice(0, 4 * MAX_SIGNATURE_CHARS)
    .split(/\s+/)
    .filter(Boolean)
    .join(" ")
  const line = words.replaceAll("( ", "(").replaceAll(", )", ")").replaceAll(" )", ")")
  const shown = line.length > MAX_SIGNATURE_CHARS ? `${line.slice(0, MAX_SIGNATURE_CHARS).toWellFormed()}…` : line
  return withoutEnd(shown)
}

/** Removes a brace, colon or sign before an omitted body. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 1 && " {([:=;,".includes(text[end - 1] ?? "")) {
    if (text.slice(0, end).endsWith("=>")) break
    end--
  }
  return text.slice(0, end)
}
