/** The words of a text. What is understood is taken, so that what is left can be named to the person who wrote it. */
export interface PromptWords {
  /** Takes every occurrence of these phrases, the longest first. Returns whether there was one. */
  take(phrases: readonly string[]): boolean
  /** Takes the phrases of the key whose first phrase stands earliest, of two at one place the longer one's. */
  takeFirst<Id extends string>(phrases: Record<Id, readonly string[]>): Id | undefined
  /** Takes what follows one of these phrases as names of up to three words, with commas or “and” between them. */
  takeListAfter(phrases: readonly string[]): string[]
  /** Takes the word before the first of these phrases, with the phrase. */
  takeBefore(phrases: readonly string[]): string | undefined
  /** Takes these phrases, the longest first, and returns them in the order in which they stand. */
  takeEach(phrases: readonly string[]): string[]
  /** The words that nobody took, as they were written: neighbours in one piece. */
  left(): string[]
}

interface Word {
  text: string
  start: number
  end: number
  isTaken: boolean
  /** Whether a comma, a stop or a bracket stands between it and the word before. */
  isAfterStop: boolean
  /** Whether that is the end of a sentence. */
  isAfterSentence: boolean
}

const articles = new Set(["a", "an", "the", "and", "my", "our", "your", "some", "this"])
const listEnds = new Set([
  "with",
  "in",
  "using",
  "as",
  "so",
  "that",
  "which",
  "where",
  "for",
  "on",
  "to",
  "its",
  "then",
  "called",
])

export function promptWords(text: string): PromptWords {
  const words = split(text)

  /** Whether the words from here on are this phrase, and free. */
  const isAt = (phrase: string[], at: number) =>
    phrase.every((part, index) => words[at + index]?.text === part && !words[at + index]?.isTaken)
  const mark = (at: number, count: number) => {
    for (const word of words.slice(at, at + count)) word.isTaken = true
  }

  function takeEach(phrases: readonly string[]): string[] {
    const known = phrases.map((phrase) => phrase.split(" ")).sort((a, b) => b.length - a.length)
    const found: string[] = []
    for (let at = 0; at < words.length; at += 1) {
      const phrase = known.find((parts) => isAt(parts, at))
      if (!phrase) continue
      mark(at, phrase.length)
      found.push(phrase.join(" "))
    }
    return found
  }

  /** The place of the first of these phrases. */
  function startOf(phrases: readonly string[]): { at: number; end: number } | undefined {
    const known = phrases.map((phrase) => phrase.split(" ")).sort((a, b) => b.length - a.length)
    for (let at = 0; at < words.length; at += 1) {
      const phrase = known.find((parts) => isAt(parts, at))
      if (phrase) return { at, end: at + phrase.length }
    }
    return undefined
  }

  return {
    take: (phrases) => takeEach(phrases).length > 0,
    takeEach,

    takeFirst(phrases) {
      const known = (Object.keys(phrases) as (keyof typeof phrases)[])
        .flatMap((id) => phrases[id].map((phrase) => ({ id, parts: phrase.split(" ") })))
        .sort((a, b) => b.parts.length - a.parts.length)
      for (let at = 0; at < words.length; at += 1) {
        const found = known.find(({ parts }) => isAt(parts, at))
        if (!found) continue
        takeEach(phrases[found.id])
        return found.id
      }
      return undefined
    },

    takeListAfter(phrases) {
      const from = startOf(phrases)
      if (from === undefined) return []
      const names: Word[][] = [[]]
      const listed: Word[] = []
      for (const word of words.slice(from.end)) {
        const isFirst = listed.length === 0
        if (word.isTaken || listEnds.has(word.text) || (word.isAfterSentence && !isFirst)) break
        if ((word.isAfterStop && !isFirst) || word.text === "and") names.push([])
        if (!articles.has(word.text)) names.at(-1)?.push(word)
        listed.push(word)
      }
      const whole = names.filter((name) => name.length > 0)
      if (whole.length === 0 || whole.some((name) => name.length > 3)) return []
      mark(from.at, from.end - from.at + listed.length)
      return whole.map((name) => text.slice(name[0]?.start, name.at(-1)?.end))
    },

    takeBefore(phrases) {
      const from = startOf(phrases)
      const word = from && words[from.at - 1]
      if (!from || !word || word.isTaken || articles.has(word.text)) return undefined
      mark(from.at - 1, from.end - from.at + 1)
      return text.slice(word.start, word.end)
    },

    left() {
      const pieces: { start: number; end: number }[] = []
      for (const [index, { isTaken, isAfterStop, start, end }] of words.entries()) {
        if (isTaken) continue
        const last = pieces.at(-1)
        const isNext = last && !isAfterStop && words[index - 1]?.end === last.end
        if (isNext) last.end = end
        else pieces.push({ start, end })
      }
      return pieces.map(({ start, end }) => text.slice(start, end))
    },
  }
}

/** Words of letters and digits: "to-do" is two, "C++", "don't" and an address are one. */
function split(text: string): Word[] {
  let end = 0
  return Array.from(text.matchAll(/https?:\/\/[^\s,]+|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)?[+#]{0,2}/gu), (match) => {
    const between = text.slice(end, match.index)
    end = match.index + match[0].length
    return {
      text: match[0].toLowerCase().replace("’", "'"),
      start: match.index,
      end,
      isTaken: false,
      isAfterStop: /[,.;:!?()\n]/.test(between),
      isAfterSentence: /[.;!?\n]/.test(between),
    }
  })
}

/** A list of phrases, which are in lower case and without hyphens, as `promptWords` splits a prompt. */
export function phrases(list: string): string[] {
  return list.trim().split(/,\s+/)
}
