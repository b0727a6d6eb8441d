import { parseJson } from "./parse-json.ts"

/** Removes comments and trailing commas, which some JSON readers accept. Line numbers stay the same. */
export function toStrictJson(text: string): string {
  const withoutComments = text.replaceAll(STRING_OR_COMMENT, (found) =>
    found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, " "),
  )
  return withoutComments.replaceAll(STRING_OR_COMMA, (found) =>
    found.startsWith(",") ? found.replace(",", " ") : found,
  )
}

// The closing quote is optional. If it were required, the search would start again at each quote in an unterminated
// string.
const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g
const STRING_OR_COMMA = /"(?:[^"\\\n]|\\.)*"?|,(?=\s*[}\]])/g

/**
 * Parses JSON with typical mistakes of language models, provided that there is only one way to read it. Accepts line
 * breaks in strings, single quotes, unquoted names, Python constants, comments, trailing commas, code fences, extra
 * closing brackets and doubly encoded JSON. Never completes truncated text. Returns undefined for anything else.
 */
export function parseLenientJson(text: string): unknown {
  const strict = parseJson(text)
  if (typeof strict === "string") return parseJson(strict) ?? parseSlips(strict)
  return strict ?? parseSlips(text)
}

const MAX_EXTRA_BRACKETS = 3

function parseSlips(text: string): unknown {
  const [, fenced] = /^```\w*\n([\s\S]*)\n```$/.exec(text.trim()) ?? []
  // Some servers send an empty object before the real one.
  let json = toStrictJson(
    (fenced ?? text)
      .trim()
      .replace(/^\{\}(?=\{)/, "")
      .replaceAll(TOKEN, asJson),
  ).trimEnd()
  for (let extra = 0; extra <= MAX_EXTRA_BRACKETS; extra++) {
    const value = parseJson(json)
    if (value !== undefined || !/[}\]]$/.test(json)) return value
    json = json.slice(0, -1).trimEnd()
  }
  return undefined
}

/** Matches a string, a comment, a number, or a word with the colon after it. */
const TOKEN =
  /"(?:[^"\\]+|\\[\s\S])*"?|'(?:[^'\\]+|\\[\s\S])*'?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\d[\w.+-]*|[A-Za-z_$][\w$]*(\s*:)?/g

const CONSTANTS: ReadonlyMap<string, string> = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
  ["undefined", "null"],
])

function asJson(token: string, colon: string | undefined): string {
  if (/^["']./s.test(token)) return token.endsWith(token.charAt(0)) ? asString(token.slice(1, -1)) : token
  if (colon !== undefined) return `"${token.slice(0, -colon.length)}"${colon}`
  return CONSTANTS.get(token) ?? token
}

/**
 * Escapes characters that JSON doesn't allow in strings. Leaves unknown escapes unchanged, because their meaning is
 * uncertain.
 */
function asString(text: string): string {
  const escaped = text.replaceAll(/\\[\s\S]|["\p{Cc}]/gu, (found) => {
    if (found === "\\'") return "'"
    return found.startsWith("\\") ? found : JSON.stringify(found).slice(1, -1)
  })
  return `"${escaped}"`
}

/** Returns the reason that the parser gives for why a text isn't JSON. */
export function jsonProblem(text: string): string {
  try {
    JSON.parse(text)
    return "It is nested too deeply."
  } catch (error) {
    return (error as Error).message.replace(/\.?$/, ".")
  }
}
