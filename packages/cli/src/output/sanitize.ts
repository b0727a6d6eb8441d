import { withoutSequences } from "@switchyard/core/text/terminal-sequences"

// Matches control characters, and characters that change the display order of text.
const UNSAFE = /[\p{Cc}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
const UNSAFE_IN_JSON = /[\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Returns untrusted text as one line without terminal control characters. */
export function sanitizeLine(text: string): string {
  const oneLine = withoutSequences(text).replace(/[\t\n\v\f\r]+/g, " ")
  return oneLine.replace(UNSAFE, "").toWellFormed()
}

/** Returns a value as one line of JSON, with terminal control characters escaped. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE_IN_JSON,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

/**
 * Returns the beginning of a text, as far as it fits into the given number of columns. Wide characters count as two
 * columns.
 */
export function clip(text: string, columns: number): string {
  let used = 0
  let fitted = ""
  for (const char of text) {
    used += (char.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1
    if (used > columns) return fitted
    fitted += char
  }
  return fitted
}
