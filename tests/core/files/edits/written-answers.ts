import { markerSignsFor } from "@switchyard/core/files/edits/edit-markers"
import fc from "fast-check"

/** A generated answer and the edits that it means to make. */
export interface WrittenAnswer {
  answer: string
  /** Edits that the answer means to make, in order. No other edit may be applied. */
  meant: { path: string; oldLines: string[]; newLines: string[] }[]
  /** True if all edits can be told from the quotations and drafts around them. */
  isCertain: boolean
}

/** The file that quotations and drafts name. No answer means to change it. */
const VICTIM = "src/victim.ts"

const marks = (signs: number) => ["<".repeat(signs), "=".repeat(signs), ">".repeat(signs)] as const

function blockOf(path: string, oldLines: readonly string[], newLines: readonly string[], signs: number): string[] {
  const [start, separator, end] = marks(signs)
  return [path, `${start} EDIT`, ...oldLines, `${separator} REPLACE`, ...newLines, `${end} EDIT END`]
}

const THOUGHTS: [begin: string, end: string][] = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ['<Thought kind="x">', "</Thought>"],
  ["<reasoning>", "</reasoning>"],
  ["<reflection>", "</reflection>"],
  ["<scratchpad>", "</scratchpad>"],
  ["<seed:think>", "</seed:think>"],
  ["◁think▷", "◁/think▷"],
  ["[THINK]", "[/THINK]"],
  ["<|channel|>analysis<|message|>", "<|channel|>final<|message|>"],
]

const signs = fc.integer({ min: 4, max: 7 })
const quoted = signs.map((count) => blockOf(VICTIM, ["  return 1"], ["  return 2"], count))
const tags = fc.constantFrom(...THOUGHTS.flat()).map((tag) => [tag])
const fences = fc.constantFrom("```", "````ts", "~~~", "> ```").map((fence) => [fence])
const prose = fc.constantFrom([""], ["So it is."], [VICTIM], ["Makefile", ""], ["* a `<think>` tag"], ["  x = 1"])
const quotation = quoted.chain((lines) =>
  fc.constantFrom(
    lines,
    lines.map((line) => `  ${line}`),
    lines.map((line) => `+${line}`),
    lines.map((line) => `> ${line}`),
    ...[1, 2, 3, 4, 5].map((from) => lines.slice(from, from + 2)),
  ),
)
const content = fc.array(fc.oneof(prose, tags, fences, quotation), { maxLength: 4 }).map((parts) => parts.flat())

interface Part {
  lines: string[]
  meant?: WrittenAnswer["meant"][number]
  isUncertain?: boolean
}

interface MeantBlock {
  old: string[]
  next: string[]
  fence: string
  more: number
}

const meantBlock: fc.Arbitrary<MeantBlock> = fc.record({
  old: content,
  next: content,
  fence: fc.constantFrom("", "", "```ts"),
  more: fc.nat(2),
})

function writtenBlock({ old, next, fence, more }: MeantBlock, nth: number): Part {
  const path = `src/meant-${nth}.ts`
  const count = (markerSignsFor([...old, ...next].join("\n")) ?? 4) + more
  const [first = "", ...rest] = blockOf(path, old, next, count)
  const lines = fence === "" ? [first, ...rest] : [first, fence, ...rest, "```"]
  return { lines, meant: { path, oldLines: old, newLines: next } }
}

/** Returns a block whose lines contain markers as long as the block's own. */
function uncertainBlock(lines: readonly string[], nth: number): Part {
  const count = (markerSignsFor(lines.join("\n")) ?? 5) - 1
  return { lines: blockOf(`src/meant-${nth}.ts`, [], lines, count), isUncertain: true }
}

const part = fc.oneof(
  { weight: 4, arbitrary: meantBlock.map((block) => (nth: number) => writtenBlock(block, nth)) },
  {
    weight: 1,
    arbitrary: quoted.map((lines) => (nth: number) => uncertainBlock(["Like this:", "", ...lines, "", "End."], nth)),
  },
  {
    weight: 1,
    arbitrary: signs.map((count) => (nth: number) => {
      const lines = ["It ends with", `${">".repeat(count)} EDIT END`, "and goes on.", "", "And on."]
      return uncertainBlock(lines, nth)
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ lines: quoted, mark: fc.constantFrom("```", "~~~~", "`````"), info: fc.constantFrom("", "md") })
      .map(({ lines, mark, info }) => () => ({ lines: [`${mark}${info}`, "Like this:", ...lines, mark] })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ lines: quoted, before: fc.constantFrom("> ", "    ", "+", " ") })
      .map(({ lines, before }) => () => ({ lines: lines.map((line) => before + line) })),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ lines: quoted, tag: fc.constantFrom(...THOUGHTS), glued: fc.boolean(), cut: fc.nat(6) })
      .map(({ lines, tag: [begin, end], glued, cut }) => () => {
        const draft = lines.slice(0, lines.length - cut)
        return { lines: glued ? [`Well. ${begin}Perhaps`, ...draft, `So.${end}`] : [begin, ...draft, end] }
      }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("I change it.", "Then `</think>`, see and/or:", "")
      .map((line) => () => ({ lines: [line] })),
  },
) as fc.Arbitrary<(nth: number) => Part>

export const writtenAnswers: fc.Arbitrary<WrittenAnswer> = fc
  .record({
    parts: fc.array(part, { maxLength: 6 }),
    eol: fc.constantFrom("\n", "\n", "\r\n"),
  })
  .map(({ parts, eol }) => {
    const written = parts.map((make, nth) => make(nth))
    return {
      answer: written.map(({ lines }) => `${lines.join(eol)}${eol}`).join(eol),
      meant: written.flatMap(({ meant }) => meant ?? []),
      isCertain: !written.some(({ isUncertain }) => isUncertain),
    }
  })
