const wordsPerMinute = 200

/** The counts of a text. `minutes` is roughly how long it takes to read. */
export function textStats(text: string) {
  const words = count(text, /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)
  if (words === 0) throw new Error("There is no word in this text.")
  return {
    words,
    characters: [...text].length,
    sentences: count(text, /[^.!?…\s][^.!?…]*/g),
    lines: text.trimEnd().split("\n").length,
    minutes: Math.ceil(words / wordsPerMinute),
  }
}

/** The counts as lines of text. */
export function inLines(stats: object): string {
  return Object.entries(stats)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n")
}

function count(text: string, pattern: RegExp) {
  return [...text.matchAll(pattern)].length
}
