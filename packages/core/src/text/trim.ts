/** Returns true if a character (a UTF-16 unit) should be removed. */
type Unwanted = (char: string) => boolean

/**
 * Removes unwanted characters at the end. Doesn't use a pattern such as `/[…]+$/`, because it may take quadratic time.
 */
export function trimEndWhere(text: string, unwanted: Unwanted): string {
  let end = text.length
  while (end > 0 && unwanted(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Removes unwanted characters at both ends. */
export function trimWhere(text: string, unwanted: Unwanted): string {
  let start = 0
  while (start < text.length && unwanted(text.charAt(start))) start++
  return trimEndWhere(text.slice(start), unwanted)
}

/** Removes trailing slashes from a path or URL. */
export function withoutSlashes(text: string): string {
  return trimEndWhere(text, (char) => char === "/")
}
