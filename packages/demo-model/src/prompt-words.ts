/** Words of a prompt. Rules take the words that they understand. Refusals name the remaining ones. */
export interface PromptWords {
  /** Takes every occurrence of these phrases, longest first. Returns true if there was any. */
  take(phrases: readonly string[]): boolean
  /** Takes the phrases of the key whose phrase occurs first. If two start at the same place, the longer one wins. */
  takeFirst<Id extends string>(phrases: Record<Id, readonly string[]>): Id | undefined
  /** Takes accepted names of up to three words after one of these phrases, separated by commas or “and”. */
  takeListAfter(phrases: readonly string[], accepts?: (names: string[]) => boolean): string[]
  /** If accepted, takes the word before the first occurrence of one of these phrases, along with the phrase. */
  takeBefore(phrases: readonly string[], accepts?: (word: string) => boolean): string | undefined
  /** Takes these phrases, longest first. Returns them in text order. */
  takeEach(phrases: readonly string[]): string[]
  /** Returns the remaining words as written, joining adjacent ones. */
  left(): string[]
}

interface Word {
  text: string
  start: number
  end: number
  isTaken: boolean
  /** True after a comma, a full stop or a bracket. */
  isAfterStop: boolean
  /** True after the end of a sentence. */
  isAfterSentence: boolean
}

/** Words that may occur within a phrase, as in “shorten my links”. */
const determiners = phrases(`
  a, an, the, my, our, your, some, this, these, all, new, own, favourite, favorite, long, ein, eine, einen, meine,
  mein, une, un, mon, ma, mes, una, mi, mis
`)
const articles = new Set([...determiners, ...phrases("and, und, et, y")])
const skippable = new Set(determiners)
const listEnds = new Set(phrases("with, in, using, as, so, that, which, where, for, on, to, its, then, called, i, we"))

export function promptWords(text: string): PromptWords {
  const words = split(text)

  /** Returns how many untaken words from here on match this phrase, or 0 if they don't. */
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

  /** Returns the range of the first occurrence of one of these phrases. */
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
        // “Make” alone may be a name, as in “with make, model and year”.
        if (/^make (?:it|this|everything)$/.test(`${word.text} ${words[words.indexOf(word) + 1]?.text}`)) break
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

/** Splits a text into words: "to-do" is two words; "C++", "don't" and a URL are one each. */
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

/** Splits a list of phrases, which must be in lower case without hyphens. */
export function phrases(list: string): string[] {
  return list.trim().replace(/\s+/g, " ").split(", ")
}
