/**
 * Replaces lone surrogates in the output of `JSON.stringify` with U+FFFD. They occur in a text that was cut between two
 * UTF-16 units. UTF-8 can't encode them, and many JSON readers reject them.
 */
export function wellFormedJson(json: string): string {
  // `JSON.stringify` only writes escapes like this for lone surrogates.
  if (!json.includes("\\ud")) return json
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (sequence) =>
    sequence.startsWith("\\ud") ? "\\ufffd" : sequence,
  )
}

/** True if the text ends with the first half of a surrogate pair. */
export function endsInLoneSurrogate(text: string): boolean {
  return /[\ud800-\udbff]$/.test(text)
}
