const MOST_CHARS = 80

/** Returns a short title: the first non-empty line of the text, shortened at the end of a word. */
export function titleOf(text: string): string {
  const line = text.split(/[\r\n\u2028\u2029]/).find((line) => line.trim() !== "") ?? ""
  const chars = [...line.replaceAll(/\p{Cc}|\s+/gu, " ").trim()]
  if (chars.length <= MOST_CHARS) return chars.join("")
  const cut = chars.slice(0, MOST_CHARS - 1).join("")
  return `${cut.replace(/\s+\S{0,20}$/, "")}…`
}
