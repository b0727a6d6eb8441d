/**
 * JSON as `JSON.stringify` makes it, with U+FFFD in place of each half of a character that stands alone, as it does in a text that was cut
 * between two UTF-16 units. As UTF-8 there is no such half, and many readers of JSON refuse a text that has one.
 */
export function wellFormedJson(json: string): string {
  // Only a lone half is written as an escape.
  if (!json.includes("\\ud")) return json
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (sequence) =>
    sequence.startsWith("\\ud") ? "\\ufffd" : sequence,
  )
}

/** Whether a text ends with the first half of a character. */
export function endsInHalf(text: string): boolean {
  return /[\ud800-\udbff]$/.test(text)
}
