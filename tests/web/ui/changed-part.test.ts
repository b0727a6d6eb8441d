import { expect, it } from "vitest"
import { changedParts, markChanges, type Part } from "../../../packages/web/src/ui/changed-part.ts"

const marked = (before: string, after: string) => {
  const parts = changedParts(before, after)
  const of = (text: string, spans: Part[]) => spans.map((span) => text.slice(...span)).join("|")
  return parts && [of(before, parts.before), of(after, parts.after)]
}

it.each([
  ["const total = sum(items)", "const total = sumOf(items)", ["sum", "sumOf"]],
  ["  return a + b", "  return a + b + c", ["", " + c"]],
  ["let count = 10", "let count = 100", ["10", "100"]],
  ["price(item, tax)", "cost(item, rate)", ["price|tax", "cost|rate"]],
  ["a one two b c d", "a three four b c d", ["one two", "three four"]],
  ["aa", "aaa", null],
  ["import a from 'a'", "export default 7", null],
  ["", "a", null],
  ["same", "same", null],
])("marks the words that differ between %j and %j", (before, after, parts) => {
  expect(marked(before, after)).toEqual(parts)
})

const marksOf = (...texts: string[]) => {
  const lines = texts.map((text) => ({
    type: text.startsWith("+") ? ("add" as const) : ("delete" as const),
    text: text.slice(1),
  }))
  markChanges(lines)
  return lines.map((line: { text: string; changed?: Part[] }) => line.changed?.map((part) => line.text.slice(...part)))
}

it("pairs a removed line with the added line most like it, if their numbers differ", () => {
  expect(marksOf("-const total = sum(items)", "+const items = []", "+const total = sumOf(items)")).toEqual([
    ["sum"],
    undefined,
    ["sumOf"],
  ])
  expect(marksOf("-return 1", "+import x from 'y'", "+export default 7")).toEqual([undefined, undefined, undefined])
})

it("leaves lines with too many words, and blocks with too many lines, without marks", () => {
  const words = (word: string, times: number) => `${word} same `.repeat(times)
  expect(changedParts(words("a", 10), words("b", 10))).not.toBeNull()
  expect(changedParts(words("a", 200), words("b", 200))).toBeNull()
  expect(marksOf("-line 1", "-other 1", "+line 2")).toEqual([["1"], undefined, ["2"]])
  const block = Array.from({ length: 300 }, (_, at) => [`-line ${at}`, `-other ${at}`]).flat()
  expect(marksOf(...block, ...Array.from({ length: 299 }, (_, at) => `+line ${at}`)).filter(Boolean)).toEqual([])
})
