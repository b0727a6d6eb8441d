import { createEditBlockParser, editsIn } from "@switchyard/core/files/edits/edit-blocks"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const block = (path: string, old: string, next: string) =>
  `${path}\n<<<< EDIT\n${old}==== REPLACE\n${next}>>>> EDIT END\n`

describe("the edit blocks of an answer", () => {
  it("are found between its sentences, in their order", () => {
    const answer = `I rename it.\n\n${block("src/a.ts", "const a\n", "const b\n")}And I create one:\n\n${block(".env", "", "A=1\n")}Done.`
    const parser = createEditBlockParser()
    parser.push(answer)
    expect(parser.parts()).toEqual([
      { type: "text", text: "I rename it.\n" },
      { type: "edit", isComplete: true, block: { path: "src/a.ts", oldLines: ["const a"], newLines: ["const b"] } },
      { type: "text", text: "And I create one:\n" },
      { type: "edit", isComplete: true, block: { path: ".env", oldLines: [], newLines: ["A=1"] } },
      { type: "text", text: "Done." },
    ])
  })

  it("are the same however the answer is split, inside a marker too", () => {
    const answer = `See and/or this.\r\n${block("a/b.ts", "x\n\n  y\n", "z\n").replaceAll("\n", "\r\n")}\n\`\`\`ts\nMakefile\n\n<<<<<<< EDIT\n==== REPLACE\nall:\n>>>> EDIT END\n\`\`\`\ntail`
    const whole = createEditBlockParser()
    whole.push(answer)
    expect(whole.parts().filter(({ type }) => type === "edit")).toHaveLength(2)
    fc.assert(
      fc.property(fc.array(fc.nat(answer.length), { maxLength: 30 }), (cuts) => {
        const parser = createEditBlockParser()
        const at = [0, ...cuts.sort((a, b) => a - b), answer.length]
        for (const [index, from] of at.entries()) {
          parser.push(answer.slice(from, at[index + 1] ?? from))
          parser.parts()
        }
        expect(parser.parts()).toEqual(whole.parts())
      }),
    )
  })

  it("tolerates a blank line or a fence after the path, and a path in quotes", () => {
    for (const path of ["`src/a.ts`", "src/a.ts\n", "src/a.ts\n```ts", "other.ts\nsrc/a.ts"]) {
      expect(editsIn(block(path, "a\n", "b\n")).blocks).toMatchObject([{ path: "src/a.ts" }])
    }
  })

  it("is no block without a path directly before it", () => {
    for (const line of ["", "the file src/a.ts:", "# src/a.ts", "- src/a.ts", "src/a.ts\nis edited:"]) {
      expect(editsIn(block(line, "a\n", "b\n")).blocks).toEqual([])
    }
  })

  it("keeps what looks like a path or a marker within its lines", () => {
    const { blocks } = editsIn(block("a.md", "src/b.ts\n<<<< EDIT\n", "==== REPLACE\nsrc/c.ts\n"))
    expect(blocks).toEqual([
      { path: "a.md", oldLines: ["src/b.ts", "<<<< EDIT"], newLines: ["==== REPLACE", "src/c.ts"] },
    ])
  })

  it("is incomplete without its end, and not to be applied", () => {
    expect(editsIn("a.ts\n<<<< EDIT\na\n==== REPLACE\nb\n")).toEqual({ blocks: [], incomplete: ["a.ts"] })
  })
})
