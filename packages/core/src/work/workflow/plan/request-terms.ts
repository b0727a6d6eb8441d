import { type Term, wordsIn } from "../../../files/symbols/match-texts.ts"
import { singular, stem } from "../../../text/stem.ts"

/** A search term from a request. More specific terms have higher weights. */
export type RequestTerm = Term & { weight: number }

const WEIGHTS: Record<Term["kind"], number> = { word: 1, stem: 0.5, name: 4, text: 8 }

const MAX_WORDS = 120
const MAX_NAMES = 40
const MAX_TEXTS = 20
const LEAST_WORD_CHARS = 3

/** Common words that don't identify any file. */
const COMMON = new Set(
  [
    "the and for with that this these those from into onto over under than then them they their there its his her our",
    "your you are was were been being has have had having does did doing not but all any some each every both more most",
    "other such only own same too very can could will would should shall may might must need want like please also when",
    "where while what which who whom whose why how here just now new old one two use used using instead after before",
    "because about between without within across per via out off down let lets get gets got make makes making made add",
    "adds adding added change changes changing changed fix fixes fixing fixed update updates updating updated create",
    "creates creating created remove removes removing removed delete deletes implement implements implementing support",
    "supports show shows showing shown work works working write writes code file files project app currently still",
    "look looks looking see sees seen say says way thing things something nothing never always already yet again",
  ].flatMap((words) => words.split(" ")),
)

const QUOTED =
  /"([^"\n]{2,200})"|“([^“”\n]{2,200})”|„([^“”„\n]{2,200})[“”]|«([^«»\n]{2,200})»|`([^`\n]{2,200})`|(?<![\p{L}\p{N})])'([^'\n]{2,200})'(?![\p{L}\p{N}])/gu

/** A name from code: it contains an inner capital letter, an underscore or a dollar sign, or is followed by `()`. */
const NAME = /[\p{L}_$][\p{L}\p{N}_$]{2,80}(?:\(\))?/gu
const IN_CODE = /[_$]|\p{Ll}\p{Lu}|\(\)$|\p{Lu}{2}\p{Ll}{2}/u

/** Returns the terms to search for in the files: quoted texts, names, words, and other forms of these words. */
export function requestTerms(request: string): RequestTerm[] {
  const quoted = [...request.matchAll(QUOTED)].map((match) => match.slice(1).find((group) => group !== undefined) ?? "")
  const texts = quoted.map((text) => text.trim()).filter((text) => /[\s\p{P}]/u.test(text) && /\p{L}{2}/u.test(text))
  const single = quoted.filter((text) => /^[\p{L}_$][\p{L}\p{N}_$]{2,}$/u.test(text))
  const named = (request.match(NAME) ?? []).filter((name) => IN_CODE.test(name)).map((name) => name.replace("()", ""))
  const words = wordsIn(request).filter((word) => word.length >= LEAST_WORD_CHARS && !COMMON.has(word))
  const counts = new Map<string, number>()
  for (const word of words.map(singular)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const often = [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_WORDS)
  return [
    ...unique(texts, MAX_TEXTS).map((value) => termOf("text", value)),
    ...unique([...named, ...single], MAX_NAMES).map((value) => termOf("name", value)),
    ...often.map(([value, count]) => termOf("word", value, count)),
    ...unique(
      often.map(([word]) => stem(word)),
      MAX_WORDS,
    ).map((value) => termOf("stem", value)),
  ]
}

function termOf(kind: Term["kind"], value: string, count = 1): RequestTerm {
  return { kind, value, weight: WEIGHTS[kind] * (1 + Math.log(count)) }
}

function unique(values: readonly string[], most: number): string[] {
  return [...new Set(values)].slice(0, most)
}

/**
 * Maximum number of files that a path in a request may match. A name with more matches, such as `index.ts`, is
 * considered ambiguous.
 */
const MAX_NAMED_FILES = 5

/** Returns the files that a request names by a path, the end of a path, or a file name. */
export function namedFiles(request: string, paths: readonly string[]): string[] {
  const byName = Map.groupBy(paths, (path) => path.slice(path.lastIndexOf("/") + 1))
  const tokens = new Set(request.split(/[\s"'`“”„«»()<>,;|=]+/).map(trimmed))
  const found = [...tokens].flatMap((token) => {
    const named = byName.get(token.slice(token.lastIndexOf("/") + 1)) ?? []
    if (!/[./]/.test(token)) return []
    const matching = named.filter((path) => path === token || path.endsWith(`/${token}`))
    const exact = matching.filter((path) => path === token)
    return exact.length > 0 ? exact : matching.length <= MAX_NAMED_FILES ? matching : []
  })
  return [...new Set(found)]
}

/** Removes the characters around a path: closing punctuation, a line number, and a leading `./` or `/`. */
function trimmed(token: string): string {
  return token
    .replace(/[.!?:]{1,3}$/, "")
    .replace(/(?::\d{1,7}){1,2}$/, "")
    .replace(/^(?:\.\/|\/)/, "")
}
