/**
 * Replaces lone surrogates in JSON from `JSON.stringify` by U+FFFD. They occur in text cut between two UTF-16 units.
 * UTF-8 can't encode them, and many JSON readers refuse them.
 */
export function wellFormedJson(json: string): string {
  // Only a lone surrogate is written as an escape.
  if (!json.includes("\\ud")) return json
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (sequence) =>
    sequence.startsWith("\\ud") ? "\\ufffd" : sequence,
  )
}

/** True if a text ends with the first half of a character. */
export function endsInLoneSurrogate(text: string): boolean {
  return /[\ud800-\udbff]$/.test(text)
}
