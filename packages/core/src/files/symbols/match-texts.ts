import { singular, startOfStem, stem } from "../../text/stem.ts"

/** A term to search for. Case is ignored, except for the kind `name`. */
export interface Term {
  /**
   * `word` is a word in the singular or a part of a name, `stem` is any form of a word, `name` is a whole identifier,
   * and `text` is a passage in which white space may differ.
   */
  kind: "word" | "stem" | "name" | "text"
  value: string
}

/** A file to search. Its text is empty if the file wasn't read. */
export interface SearchedFile {
  path: string
  text: string
  /** Names that the file declares. */
  declares: readonly string[]
}

/** Occurrences of a term in a file. */
export interface Hits {
  /** Index of the term. */
  term: number
  inText: number
  /** Number of declared names that contain the term. */
  inNames: number
  inFileName: boolean
  inFolders: boolean
}

export interface FileMatch {
  hits: Hits[]
  /** True if the lines are longer than people would write. */
  isMinified: boolean
}

/** Maximum number of occurrences to count per term and text. Further occurrences say nothing more about the file. */
const MAX_COUNT = 50
const MAX_WORD_CHARS = 40
const MAX_AVERAGE_LINE_CHARS = 400
const LEAST_MINIFIED_CHARS = 4000

/** Matches a word, or the part of a name up to the next capital letter, digit or separator. */
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+/uy
const PARTS = new RegExp(PART.source, "gu")
const IN_NAME = /[\p{L}\p{N}_$]/u

/** Returns the words in a text or name, in lower case. */
export function wordsIn(text: string): string[] {
  return (text.match(PARTS) ?? []).map((part) => part.toLowerCase())
}

/**
 * Counts the terms in each file, in time proportional to the length of the text. Returns the matches in the order of
 * the files.
 */
export function matchTexts(files: readonly SearchedFile[], terms: readonly Term[]): FileMatch[] {
  const finder = createFinder(terms)
  return files.map(({ path, text, declares }) => {
    const end = path.lastIndexOf("/") + 1
    const inText = finder(text)
    const inNames = finder(declares.join("\n"))
    const inFileName = finder(path.slice(end))
    const inFolders = finder(path.slice(0, end))
    const found = new Set([inText, inNames, inFileName, inFolders].flatMap((counts) => [...counts.keys()]))
    const hits = [...found].map((term) => ({
      ...{ term, inText: inText.get(term) ?? 0, inNames: inNames.get(term) ?? 0 },
      ...{ inFileName: inFileName.has(term), inFolders: inFolders.has(term) },
    }))
    return { hits, isMinified: isMinified(text) }
  })
}

/** Creates a function that counts the terms in a text, by the terms' indexes. */
function createFinder(terms: readonly Term[]): (text: string) => ReadonlyMap<number, number> {
  const words = new Map<string, number>()
  const stems = new Map<string, number>()
  const others: { index: number; pattern: RegExp; isName: boolean }[] = []
  for (const [index, { kind, value }] of terms.entries()) {
    if (kind === "word") words.set(value, index)
    else if (kind === "stem") stems.set(value, index)
    else others.push({ index, pattern: patternOf(kind, value), isName: kind === "name" })
  }
  const starts = new Set([...[...words.keys()].map(stem), ...stems.keys()].map(startOfStem))
  const candidates = starts.size > 0 ? new RegExp([...starts].map(RegExp.escape).join("|"), "gi") : undefined
  const known = new Map<string, { word: number | undefined; stem: number | undefined }>()

  function termsOf(part: string) {
    const lower = part.toLowerCase()
    const found = known.get(lower)
    if (found) return found
    const looked = { word: words.get(lower) ?? words.get(singular(lower)), stem: stems.get(stem(lower)) }
    known.set(lower, looked)
    return looked
  }

  return (text) => {
    const counts = new Map<number, number>()
    const add = (index: number | undefined) => {
      if (index !== undefined) counts.set(index, Math.min((counts.get(index) ?? 0) + 1, MAX_COUNT))
    }
    for (const { word, stem } of partsAt(text, candidates, termsOf)) {
      add(word)
      add(stem)
    }
    for (const { index, pattern, isName } of others) {
      let count = 0
      for (const { index: at, 0: found } of text.matchAll(pattern)) {
        if (!isName || isWholeName(text, at, at + found.length)) count++
        if (count === MAX_COUNT) break
      }
      if (count > 0) counts.set(index, count)
    }
    return counts
  }
}

/** Calls `read` for each part of a name that begins with one of the candidates, and yields the results. */
function* partsAt<T>(text: string, candidates: RegExp | undefined, read: (part: string) => T): Generator<T> {
  if (!candidates) return
  candidates.lastIndex = 0
  for (let match = candidates.exec(text); match; match = candidates.exec(text)) {
    if (!beginsPart(text, match.index)) continue
    PART.lastIndex = match.index
    const [part] = PART.exec(text) ?? []
    if (part === undefined) continue
    candidates.lastIndex = Math.max(candidates.lastIndex, match.index + part.length)
    if (part.length <= MAX_WORD_CHARS) yield read(part)
  }
}

function beginsPart(text: string, at: number): boolean {
  const before = text[at - 1]
  if (before === undefined || !/\p{L}/u.test(before)) return true
  const [first = "", second = ""] = [text[at], text[at + 1]]
  return isUpper(first) && (!isUpper(before) || !isUpper(second))
}

function isUpper(char: string): boolean {
  return char !== char.toLowerCase()
}

function isWholeName(text: string, start: number, end: number): boolean {
  return !IN_NAME.test(text[start - 1] ?? "") && !IN_NAME.test(text[end] ?? "")
}

function patternOf(kind: "name" | "text", value: string): RegExp {
  if (kind === "name") return new RegExp(RegExp.escape(value), "g")
  return new RegExp(value.trim().split(/\s+/).map(RegExp.escape).join("\\s+"), "gi")
}

function isMinified(text: string): boolean {
  return text.length > LEAST_MINIFIED_CHARS && text.length / text.split("\n").length > MAX_AVERAGE_LINE_CHARS
}
