/** True if the text contains every word of the search, ignoring case and accents. */
export function hasWords(text: string, search: string): boolean {
  const found = fold(text)
  return wordsOf(search).every((word) => found.includes(word))
}

const EXCERPT_CHARS = 160

/** Returns a single-line excerpt of the text around the first match. */
export function excerptAround(text: string, search: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim()
  const folded = fold(line)
  const at = Math.min(
    ...wordsOf(search)
      .map((word) => folded.indexOf(word))
      .filter((found) => found !== -1),
    folded.length,
  )
  // Folding may change the length of the text, so the position is only approximate.
  const from = at < EXCERPT_CHARS / 2 ? 0 : Math.min(at, line.length) - EXCERPT_CHARS / 4
  const part = line.slice(from, from + EXCERPT_CHARS).toWellFormed()
  return `${from > 0 ? "…" : ""}${part}${from + EXCERPT_CHARS < line.length ? "…" : ""}`
}

function wordsOf(search: string): string[] {
  return fold(search.trim()).split(/\s+/)
}

/** Removes differences in case and accents. */
function fold(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
}
