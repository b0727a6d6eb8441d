import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import { commentsOf, withoutComments } from "../../../text/comments.ts"
import { extensionOf } from "../../checks/facts/file-kinds.ts"
import type { Literal } from "./literals.ts"

export interface SearchedFile {
  path: WorkspacePath
  text: string
}

/**
 * Returns the literals that no file contains outside of comments. Tolerates differences in spaces, mark-up and
 * notation, because a false alarm costs more than a missed literal. Case matters only if the literal contains capitals
 * and the files don't change the case of texts themselves.
 */
export function missingFrom(files: readonly SearchedFile[], literals: readonly Literal[]): Literal[] {
  if (literals.length === 0) return []
  const code = files.filter(({ path }) => !PROSE.has(extensionOf(path)))
  const corpora = {
    all: createCorpus(files),
    // Exclude prose and comments, because quoting the request there proves nothing about the program.
    code: createCorpus(code.length > 0 ? code.map(withoutItsComments) : files),
  }
  return literals.filter((literal) => {
    const corpus = ABOUT_PROSE.test(literal.clause) ? corpora.all : corpora.code
    return !FINDS[literal.kind](literal.shown, corpus)
  })
}

const PROSE: ReadonlySet<string> = new Set(["md", "mdx", "txt", "rst", "adoc"])
const ABOUT_PROSE = /readme|\bdocs?\b|document|markdown|changelog|licen[sc]e|article|guide|text file|\.(?:md|txt)\b/i

function withoutItsComments({ path, text }: SearchedFile): SearchedFile {
  const pattern = commentsOf(extensionOf(path))
  return pattern ? { path, text: withoutComments(text, pattern) } : { path, text }
}

interface Corpus {
  paths: string
  /** Normalised text of all files. */
  text: string
  /** Same text without mark-up. */
  words: string
  /** Both texts with their original case. */
  exact: string
  /** True if the files change the case of texts. */
  changesCase: boolean
}

function createCorpus(files: readonly SearchedFile[]): Corpus {
  const cased = normalise(files.map((file) => file.text).join("\n"))
  const bare = cased.replaceAll(/<[^<>]{0,300}>/g, " ").replaceAll(/\s+/g, " ")
  const [text, words] = [cased.toLowerCase(), bare.toLowerCase()]
  const exact = `${cased}\n${bare}`
  const paths = files.map(({ path }) => `/${path}`.toLowerCase()).join("\n")
  return { paths, text, words, exact, changesCase: CHANGES_CASE.test(cased) }
}

const CHANGES_CASE =
  /text-transform|font-variant|to(?:Locale)?(?:Upper|Lower)Case|\b(?:upper|lower|capital)(?:case|ize|ized)\b|\.(?:upper|lower|title|capitalize)\(/

const FINDS = {
  text: (shown, { text, words, paths, exact, changesCase }) => {
    const isCased = !changesCase && shown !== shown.toLowerCase()
    const wanted = normalise(shown)
    // Numbers often come from data or a template, so search only for the words around them.
    const parts = (isCased ? wanted : wanted.toLowerCase())
      .split(/\d+/)
      .map((part) =>
        part
          .trim()
          .replace(/^[.,:;!?]+|[.,:;!?]+$/g, "")
          .trim(),
      )
      .filter((part) => /\p{L}{2}/u.test(part))
    if (isCased) return parts.every((part) => exact.includes(part) || paths.includes(part.toLowerCase()))
    return parts.every((part) => text.includes(part) || words.includes(part) || paths.includes(part))
  },
  name: (shown, { exact }) => hasToken(exact, lastName(shown)),
  address: (shown, { text }) => {
    const address = withoutEnd(shown)
      .replace(/^https?:\/\//i, "")
      .toLowerCase()
    const [host = "", ...rest] = address.split("/")
    return text.includes(address) || (text.includes(host) && rest.every((part) => text.includes(part)))
  },
  colour: (shown, { text }) => notations(shown.slice(1).toLowerCase()).some((one) => text.includes(one)),
  quantity: (shown, { text }) => {
    const isLength = LENGTH.test(shown)
    // `15px` isn't a match for 15 minutes, and `15ms` isn't a match for a width.
    const other = isLength ? /^ ?(?:ms|s|seconds?|minutes?|hours?|days?)\b/ : /^(?:px|rem|em|vh|vw|pt)\b/
    return amounts(shown).some((amount) => hasToken(text, amount, other))
  },
  path: (shown, { text, paths }) => {
    const path = shown.toLowerCase()
    if (paths.includes(path.startsWith("/") ? path : `/${path}`) || text.includes(path)) return true
    const isRoute = path.startsWith("/")
    const parts = path.split("/").filter((part) => part !== "" && !/[:{]/.test(part))
    return isRoute && parts.every((part) => hasToken(text, part) || hasToken(paths, part))
  },
  port: (shown, { text }) => hasToken(text, shown),
} satisfies Record<Literal["kind"], (shown: string, corpus: Corpus) => boolean>

/** Returns the last name of a call or a member: `add` for `cart.add(item)`. */
function lastName(shown: string): string {
  const [called = ""] = shown.split("(", 1)
  return (
    called
      .trim()
      .split(/[^\w$]/)
      .at(-1) || shown
  )
}

const LENGTH = /(?:px|rem|em|vh|vw|pt)$/i

/** Resolves entities and escapes, and replaces typographic quotes and spaces with plain ones. */
function normalise(text: string): string {
  return text
    .replaceAll(
      /&(\w{2,8}|#\d{1,6}|#x[\da-f]{1,5});/gi,
      (whole, name: string) => ENTITIES[name.toLowerCase()] ?? codePoint(name) ?? whole,
    )
    .replaceAll(/\\u\{?([\da-f]{4,6})\}?/gi, (whole, hex: string) => codePoint(`#x${hex}`) ?? whole)
    .replaceAll(/\\(["'`])/g, "$1")
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(/[“”„]/g, '"')
    .replaceAll("…", "...")
    .replaceAll(/[–—]/g, "-")
    .replaceAll(/(\d)_(?=\d)/g, "$1")
    .replaceAll(/\s+/g, " ")
}

const ENTITIES: Record<string, string> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", rsquo: "'", lsquo: "'", ldquo: '"', rdquo: '"' },
  ...{ hellip: "...", ndash: "-", mdash: "-", copy: "©", euro: "€", pound: "£", middot: "·", times: "×" },
  ...{ auml: "ä", ouml: "ö", uuml: "ü", szlig: "ß", eacute: "é", egrave: "è", agrave: "à", ccedil: "ç", ntilde: "ñ" },
}

function codePoint(name: string): string | undefined {
  const code = /^#x/i.test(name)
    ? Number.parseInt(name.slice(2), 16)
    : name.startsWith("#")
      ? Number(name.slice(1))
      : -1
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

function withoutEnd(address: string): string {
  let end = address.length
  while (end > 0 && ".,;:!?/".includes(address[end - 1] ?? "")) end--
  return address.slice(0, end)
}

/** Returns the notations for a colour in CSS and in code. */
function notations(hex: string): string[] {
  const long = hex.length === 3 ? [...hex].map((digit) => digit + digit).join("") : hex
  const short = [0, 2, 4].every((at) => long[at] === long[at + 1])
    ? [0, 2, 4].map((at) => long[at]).join("")
    : undefined
  const channels = [0, 2, 4].map((at) => Number.parseInt(long.slice(at, at + 2), 16))
  const named = NAMED_COLOURS[long]
  return [
    `#${long}`,
    `0x${long}`,
    ...(short ? [`#${short}`] : []),
    ...(named ? [named] : []),
    ...[", ", ",", " "].map((separator) => channels.join(separator)),
  ]
}

const NAMED_COLOURS: Record<string, string> = {
  ...{ ffffff: "white", "000000": "black", ff0000: "red", "00ff00": "lime", "0000ff": "blue", "808080": "gray" },
}

const MAX_UNIT_CHARS = 10
const SECONDS: Record<string, number> = { second: 1, minute: 60, hour: 3600, day: 86_400 }

/** Returns the numbers that may stand for a quantity in code: the number itself, and its value in smaller units. */
function amounts(shown: string): string[] {
  const value = Number(/\d+(?:\.\d+)?/.exec(shown)?.[0])
  const unit = /[a-z%]{1,9}$/i.exec(shown)?.[0].toLowerCase().replace(/s$/, "") ?? ""
  const seconds = SECONDS[unit] ?? 0
  const scaled = [
    value * seconds,
    value * seconds * 1000,
    ...(unit === "%" ? [value / 100] : []),
    value * 100,
    value * 1024,
  ]
  const all = [value, ...(unit === "m" ? [value / 1000] : []), ...scaled].filter((one) => one > 0)
  return [...new Set(all.map(String)), ...(unit === "%" && value < 100 ? [`.${value}`] : []), value.toFixed(2)]
}

/** Returns true if a text contains a word or number that isn't part of a longer one and isn't followed by `other`. */
function hasToken(text: string, token: string, other?: RegExp): boolean {
  for (let at = text.indexOf(token); at !== -1; at = text.indexOf(token, at + 1)) {
    const [before, after] = [text[at - 1] ?? " ", text[at + token.length] ?? " "]
    const isNumber = /\d/.test(token[0] ?? "")
    const isOther = other?.test(text.slice(at + token.length, at + token.length + MAX_UNIT_CHARS)) === true
    if (!isOther && !(isNumber ? /\d/ : /\w/).test(before) && !(isNumber ? /\d/ : /\w/).test(after)) return true
  }
  return false
}
