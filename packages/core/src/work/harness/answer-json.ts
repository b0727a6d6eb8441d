import { withoutThoughts } from "../../files/edits/prose.ts"
import { parseLenientJson } from "../../text/lenient-json.ts"

/** Maximum number of candidates to try per answer. */
const MAX_CANDIDATES = 40

/**
 * Finds the JSON objects and lists in a model's answer, most likely first: the whole answer, then the last outermost
 * value, then the values before and inside it. Models think aloud, and wrap JSON in fences and sentences even if
 * instructed otherwise. `isCut` is true if a bracket is never closed.
 */
export function jsonIn(answer: string): { values: Iterable<object>; isCut: boolean } {
  const text = withoutThoughts(answer)
  const { candidates, isCut } = candidatesIn(text)
  return { values: parsed([answer, text, ...candidates]), isCut }
}

function* parsed(texts: string[]): Generator<object> {
  for (const text of texts) {
    const value = parseLenientJson(text)
    if (typeof value === "object" && value !== null) yield value
  }
}

/**
 * Returns the substrings that are enclosed in matching brackets, last first. An outer substring comes before those
 * inside it.
 */
function candidatesIn(text: string): { candidates: string[]; isCut: boolean } {
  const open: number[] = []
  const found: { from: number; to: number }[] = []
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (isInString) {
      if (char === "\\") at++
      // JSON strings don't contain line breaks, so the quote that began this string was part of prose.
      else if (char === '"' || char === "\n") isInString = false
    } else if (char === "{" || char === "[") open.push(at)
    else if (char === "}" || char === "]") {
      const from = open.pop()
      if (from !== undefined) found.push({ from, to: at + 1 })
    } else if (char === '"') isInString = open.length > 0
  }
  const likeliest = found.toSorted((a, b) => b.to - a.to || a.from - b.from).slice(0, MAX_CANDIDATES)
  return { candidates: likeliest.map(({ from, to }) => text.slice(from, to)), isCut: open.length > 0 }
}
