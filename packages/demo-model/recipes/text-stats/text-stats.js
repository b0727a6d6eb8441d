const wordsPerMinute = 200

/** What can be counted in a text. `minutes` is how long it takes to read, roughly. */
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
