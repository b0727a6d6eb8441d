export type LineEnding = "\n" | "\r\n" | "\r"

/**
 * Returns a text's line ending. Mixed endings count as line feeds, with carriage returns as ordinary characters, so
 * splitting and joining any text restores it exactly.
 */
export function lineEndingOf(text: string): LineEnding {
  if (!text.includes("\r")) return "\n"
  if (!text.includes("\n")) return "\r"
  return /\r(?!\n)|(?<!\r)\n/.test(text) ? "\n" : "\r\n"
}

/** Converts a pasted text to the document's line endings. */
export function withEnding(text: string, ending: LineEnding): string {
  return text.replace(/\r\n?|\n/g, ending)
}

/** Returns the common name of a text's line endings; null for the default. */
export function endingName(text: string): string | null {
  const ending = lineEndingOf(text)
  if (ending === "\n") return text.includes("\r") ? "mixed line endings" : null
  return ending === "\r\n" ? "CRLF" : "CR"
}

const MARK = "\uFEFF"

/** Restores a byte order mark that decoding removed, which is detected by the size in bytes. */
export function withMark(text: string, sizeBytes: number): string {
  return new TextEncoder().encode(text).length + 3 === sizeBytes ? MARK + text : text
}
