import { withoutThoughts } from "../../files/edits/prose.ts"
import { toStrictJson } from "../../lenient-json.ts"
import { parseJson } from "../../parse-json.ts"

/** Complete objects and lists are looked for this often at most, whatever an answer is made of. */
const MAX_CANDIDATES = 40

/**
 * The objects and lists in a model's answer, the likeliest first: the whole answer, else the last one that stands by itself,
 * then those before it and inside of it. Models think aloud, and put JSON into fences and sentences, however often they are
 * told not to. `isCut`: a bracket is never closed.
 */
export function jsonIn(answer: string): { values: Iterable<object>; isCut: boolean } {
  const text = withoutThoughts(answer)
  const { candidates, isCut } = candidatesIn(text)
  return { values: parsed([answer, text, ...candidates]), isCut }
}

function* parsed(texts: string[]): Generator<object> {
  for (const text of texts) {
    // Many put comments and last commas into it.
    const value = parseJson(text) ?? parseJson(toStrictJson(text))
    if (typeof value === "object" && value !== null) yield value
  }
}

/** The texts between matching brackets, by their ends from the last, and the outermost first. */
function candidatesIn(text: string): { candidates: string[]; isCut: boolean } {
  const open: number[] = []
  const found: { from: number; to: number }[] = []
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (isInString) {
      if (char === "\\") at++
      // JSON has no string over two lines: what looked like one was prose.
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
