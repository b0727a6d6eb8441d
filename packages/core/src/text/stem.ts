/** Minimum length of a word without its inflectional ending, such as -ed. */
const LEAST_WORD = 3
/** Minimum length of a word without an ending that forms a new word, such as -er. */
const LEAST_STEM = 4

/** Endings that form a new word, with their replacements. The first ending that fits is used. */
const DERIVED: readonly (readonly [string, string])[] = [
  ["ization", "ize"],
  ["isation", "ise"],
  ["ication", "y"],
  ["ation", ""],
  ["ator", ""],
  ["ment", ""],
  ["ness", ""],
  ["able", ""],
  ["ible", ""],
  ["ate", ""],
  ["ion", ""],
  ["er", ""],
  ["or", ""],
  ["ly", ""],
]

/** Returns the singular of an English word in lower case. Other words are usually returned unchanged. */
export function singular(word: string): string {
  if (word.length <= LEAST_WORD || !word.endsWith("s")) return word
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|ch|sh|zz)es$/.test(word)) return word.slice(0, -2)
  return /(?:ss|us|is)$/.test(word) ? word : word.slice(0, -1)
}

/**
 * Returns the common part of all forms of an English word in lower case, such as `filter` and `filtering`, or
 * `validate` and `validation`. Stems aren't words, so only use them for comparisons.
 */
export function stem(word: string): string {
  const base = withoutEnding(withoutInflection(singular(word)))
  const short = base.length > LEAST_WORD && base.endsWith("e") ? base.slice(0, -1) : base
  if (short.length > LEAST_WORD && short.at(-1) === short.at(-2)) return short.slice(0, -1)
  return short.length >= LEAST_WORD && short.endsWith("y") ? `${short.slice(0, -1)}i` : short
}

/** Returns the beginning that all words with this stem share. */
export function startOfStem(stem: string): string {
  return stem.replace(/(?:i|[iy]?[sz])$/, "") || stem
}

function withoutInflection(word: string): string {
  if (word.endsWith("ied") && word.length > 4) return `${word.slice(0, -3)}y`
  for (const ending of ["ing", "ed"]) {
    const rest = word.slice(0, -ending.length)
    // Restore the e, so that the same ending is removed from `validat` as from `validate`.
    if (word.endsWith(ending) && rest.length >= LEAST_WORD && /[aeiouy]/.test(rest)) return rest.replace(/at$/, "ate")
  }
  return word
}

function withoutEnding(word: string): string {
  for (const [ending, instead] of DERIVED) {
    const rest = word.slice(0, -ending.length)
    if (word.endsWith(ending) && rest.length >= LEAST_STEM) return rest + instead
  }
  return word
}
