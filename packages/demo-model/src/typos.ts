import { phrases } from "./prompt-words.ts"

/** Real words that are close to a known word, and not typos of it. */
const OTHER_WORDS = new Set(
  phrases("dairy, lien, from, crates, lines, string, most, sending, backed, latter, tracer, picking, planes"),
)

/**
 * Corrects typos of known words: two letters swapped, or one letter of a pair too many or missing; in long words also a
 * missing letter, a wrong vowel, or c instead of s. Leaves other words unchanged, however similar: "contract" isn't a
 * typo of "contact".
 */
export function withoutTypos(text: string, known: ReadonlySet<string>): string {
  return text.replaceAll(/\p{L}{4,}/gu, (word) => {
    const small = word.toLowerCase()
    if (known.has(small) || OTHER_WORDS.has(small)) return word
    return [...slipsOf(small)].find((slip) => known.has(slip)) ?? word
  })
}

const LONG = 6
const VOWELS = [..."aeiou"]
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"]

/** Returns the words that a typo may stand for. */
function* slipsOf(word: string): Generator<string> {
  for (let at = 1; at < word.length; at += 1) {
    const [before, one, two, after] = [word.slice(0, at - 1), word.charAt(at - 1), word.charAt(at), word.slice(at + 1)]
    yield before + two + one + after
    if (word.length > 4) yield* [before + one + one + two + after, ...(one === two ? [before + two + after] : [])]
    if (word.length < LONG) continue
    for (const letter of LETTERS) yield before + one + letter + two + after
    if (two === "c") yield `${before}${one}s${after}`
    if (VOWELS.includes(two)) for (const vowel of VOWELS) yield before + one + vowel + after
  }
}
