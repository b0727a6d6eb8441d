/** Words of a prompt. Rules take the words they understand, and a refusal names the others. */
export interface PromptWords {
  /** Takes every occurrence of these phrases, the longest first. Returns true if there was one. */
  take(phrases: readonly string[]): boolean
  /** Takes the phrases of the key with the earliest phrase. Of two phrases at one place, the longer one counts. */
  takeFirst<Id extends string>(phrases: Record<Id, readonly string[]>): Id | undefined
  /** Takes accepted names of up to three words after one of these phrases, with commas or “and” between them. */
  takeListAfter(phrases: readonly string[], accepts?: (names: string[]) => boolean): string[]
  /** Takes the word before the first of these phrases, with the phrase, if it is accepted. */
  takeBefore(phrases: readonly string[], accepts?: (word: string) => boolean): string | undefined
  /** Takes these phrases, the longest first, and returns them in the order of the text. */
  takeEach(phrases: readonly string[]): string[]
  /** Returns the other words as written, neighbours in one piece. */
  left(): string[]
}

interface Word {
  text: string
  start: number
  end: number
  isTaken: boolean
  /** True after a comma, a stop or a bracket. */
  isAfterStop: boolean
  /** True after the end of a sentence. */
  isAfterSentence: boolean
}

/** Words that a prompt may have in the middle of a phrase, as in “shorten my links”. */
const determiners = phrases(`
  a, an, the, my, our, your, some, this, these, all, new, own, favourite, favorite, long, ein, eine, einen, meine,
  mein, une, un, mon, ma, mes, una, mi, mis
`)
const articles = new Set([...determiners, ...phrases("and, und, et, y")])
const skippable = new Set(determiners)
const listEnds = new Set(phrases("with, in, using, as, so, that, which, where, for, on, to, its, then, called, i, we"))

export function promptWords(text: string): PromptWords {
  const words = split(text)

  /** Returns the number of free words here that are this phrase; 0 if they are not. */
  const lengthAt = (phrase: readonly string[], at: number) => {
    let next = at
    for (const part of phrase) {
      while (next > at && words[next]?.text !== part && skippable.has(words[next]?.text ?? "")) next += 1
      if (words[next]?.text !== part || words[next]?.isTaken) return 0
      next += 1
    }
    return next - at
  }
  const mark = (at: number, count: number) => {
    for (const word of words.slice(at, at + count)) word.isTaken = true
  }

  function takeEach(phrases: readonly string[]): string[] {
    const known = phrases.map((phrase) => phrase.split(" ")).sort((a, b) => b.length - a.length)
    const found: string[] = []
    for (let at = 0; at < words.length; at += 1) {
      const phrase = known.find((parts) => lengthAt(parts, at) > 0)
      if (!phrase) continue
      mark(at, lengthAt(phrase, at))
      found.push(phrase.join(" "))
    }
    return found
  }

  /** Returns the range of the first of these phrases. */
  function startOf(phrases: readonly string[]): { at: number; end: number } | undefined {
    const known = phrases.map((phrase) => phrase.split(" ")).sort((a, b) => b.length - a.length)
    for (let at = 0; at < words.length; at += 1) {
      const phrase = known.find((parts) => lengthAt(parts, at) > 0)
      if (phrase) return { at, end: at + lengthAt(phrase, at) }
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
        const found = known.find(({ parts }) => lengthAt(parts, at) > 0)
        if (!found) continue
        takeEach(phrases[found.id])
        return found.id
      }
      return undefined
    },

    takeListAfter(phrases, accepts = () => true) {
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
      const taken = whole.map((name) => text.slice(name[0]?.start, name.at(-1)?.end))
      if (!accepts(taken)) return []
      mark(from.at, from.end - from.at + listed.length)
      return taken
    },

    takeBefore(phrases, accepts = () => true) {
      const from = startOf(phrases)
      const word = from && words[from.at - 1]
      if (!from || !word || word.isTaken || articles.has(word.text) || !accepts(word.text)) return undefined
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

/** Splits a text into words: "to-do" is two, "C++", "don't" and an address are one. */
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

/** Splits a list of phrases. They must be in lower case, without hyphens. */
export function phrases(list: string): string[] {
  return list.trim().replace(/\s+/g, " ").split(", ")
}
