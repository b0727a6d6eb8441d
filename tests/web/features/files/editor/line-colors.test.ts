import { expect, it } from "vitest"
import { loadLineColors } from "../../../../../packages/web/src/features/files/editor/line-colors.ts"

const colouredIn = async (lines: string[]) => {
  const colors = await loadLineColors("typescript")
  return colors(lines).map((spans, at) =>
    spans.map(([from, to, classes]) => `${lines[at]?.slice(from, to)}: ${classes}`),
  )
}

it("colours each line of a text, also of a comment over several", async () => {
  const lines = ["const a = 'b' // c", "/* d", "", "e */ return 1\r"]
  expect(await colouredIn(lines)).toEqual([
    expect.arrayContaining(["const: text-info", "'b': text-ok", "// c: text-ink-3 italic"]),
    ["/* d: text-ink-3 italic"],
    [],
    ["e */: text-ink-3 italic", "return: text-info", "1: text-accent"],
  ])
})

it("leaves minified and huge texts without colours", async () => {
  expect(await colouredIn(["const a = 1", `const b = "${"x".repeat(1000)}"`])).toEqual([[], []])
  const many = Array.from({ length: 10_000 }, () => "const a = 1")
  expect((await colouredIn(many)).flat()).toEqual([])
})
