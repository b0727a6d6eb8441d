const MAX_SIGNATURE_CHARS = 160

/** Returns a declaration on one line, truncated for outlines, without the token that opens its body. */
export function oneLine(text: string): string {
  if (text.length <= MAX_SIGNATURE_CHARS && /^\w+$/.test(text)) return text
  // Truncate first, so that long texts don't take much time.
  const words = text
    .slice(0, 4 * MAX_SIGNATURE_CHARS)
    .split(/\s+/)
    .filter(Boolean)
    .join(" ")
  const line = words.replaceAll("( ", "(").replaceAll(", )", ")").replaceAll(" )", ")")
  const shown = line.length > MAX_SIGNATURE_CHARS ? `${line.slice(0, MAX_SIGNATURE_CHARS).toWellFormed()}…` : line
  return withoutEnd(shown)
}

/** Removes a brace, colon or other character before an omitted body. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 1 && " {([:=;,".includes(text[end - 1] ?? "")) {
    if (text.slice(0, end).endsWith("=>")) break
    end--
  }
  return text.slice(0, end)
}
