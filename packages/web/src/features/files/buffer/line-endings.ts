export type LineEnding = "\n" | "\r\n" | "\r"

/**
 * What ends the lines of a text. Where they differ among themselves it is the line feed, and carriage returns are letters
 * like any other: so each text, cut into lines and joined again, is the same text.
 */
export function lineEndingOf(text: string): LineEnding {
  if (!text.includes("\r")) return "\n"
  if (!text.includes("\n")) return "\r"
  return /\r(?!\n)|(?<!\r)\n/.test(text) ? "\n" : "\r\n"
}

/** Text from somewhere else, with its lines ended as the others are. */
export function withEnding(text: string, ending: LineEnding): string {
  return text.replace(/\r\n?|\n/g, ending)
}

/** What people call it. Nothing for what is usual. */
export function endingName(text: string): string | null {
  const ending = lineEndingOf(text)
  if (ending === "\n") return text.includes("\r") ? "mixed line endings" : null
  return ending === "\r\n" ? "CRLF" : "CR"
}

const MARK = "\uFEFF"

/** A text whose byte order mark was lost when it was decoded, with it. Its size tells. */
export function withMark(text: string, sizeBytes: number): string {
  return new TextEncoder().encode(text).length + 3 === sizeBytes ? MARK + text : text
}
