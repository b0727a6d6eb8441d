/** Words that are right as they are, though two letters away from being known. */
const OTHER_WORDS = new Set(["dairy", "lien"])

/**
 * The same text with slips of the finger mended: two letters in the wrong order, one of a pair too many or too few, or in a long word
 * a letter too few or another vowel, where that makes one of the known words. Others are left alone, however near: "contract" isn't "contact".
 */
export function withoutTypos(text: string, known: ReadonlySet<string>): string {
  return text.replaceAll(/\p{L}{4,}/gu, (word) => {
    const small = word.toLowerCase()
    if (known.has(small) || OTHER_WORDS.has(small)) return word
    return [...slipsOf(small)].find((slip) => known.has(slip)) ?? word
  })
}

const LONG = 8
const VOWELS = [..."aeiou"]
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"]

/** The words of which one may be a slip. */
function* slipsOf(word: string): Generator<string> {
  for (let at = 1; at < word.length; at += 1) {
    const [before, one, two, after] = [word.slice(0, at - 1), word.charAt(at - 1), word.charAt(at), word.slice(at + 1)]
    yield before + two + one + after
    if (word.length > 4) yield* [before + one + one + two + after, ...(one === two ? [before + two + after] : [])]
    if (word.length < LONG) continue
    for (const letter of LETTERS) yield before + one + letter + two + after
    if (VOWELS.includes(two)) for (const vowel of VOWELS) yield before + one + vowel + after
  }
}
