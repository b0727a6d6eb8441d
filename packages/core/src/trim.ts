/** Tells whether a character, a unit of UTF-16, is to go. */
type Unwanted = (char: string) => boolean

/** The text without unwanted characters at its end: `/[…]+$/` would take the square of their number where others follow. */
export function trimEndWhere(text: string, unwanted: Unwanted): string {
  let end = text.length
  while (end > 0 && unwanted(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** The text without unwanted characters at both ends. */
export function trimWhere(text: string, unwanted: Unwanted): string {
  let start = 0
  while (start < text.length && unwanted(text.charAt(start))) start++
  return trimEndWhere(text.slice(start), unwanted)
}

/** A path or an address without slashes at its end. */
export function withoutSlashes(text: string): string {
  return trimEndWhere(text, (char) => char === "/")
}
