const wordsPerMinute = 200

/** The counts of a text. `minutes` is roughly how long it takes to read. */
export function textStats(text) {
  const words = count(text, /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)
  return {
    words,
    characters: [...text].length,
    sentences: count(text, /[^.!?…\s][^.!?…]*/g),
    lines: text === "" ? 0 : text.trimEnd().split("\n").length,
    minutes: Math.ceil(words / wordsPerMinute),
  }
}

function count(text, pattern) {
  return [...text.matchAll(pattern)].length
}
