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
    const { blocks, incomplete } = editsIn("a.ts\n<<<< EDIT\na\n==== REPLACE\nb\n")
    expect([blocks, incomplete]).toEqual([[], ["a.ts"]])
  })

  it("is incomplete where the next one begins before its end, and is no part of that", () => {
    const next = block("b.ts", "p\n", "q\n")
    const read = { blocks: [{ path: "b.ts", oldLines: ["p"], newLines: ["q"] }], incomplete: ["a.ts"] }
    expect(editsIn(`a.ts\n<<<< EDIT\na\n==== REPLACE\nb\n\n${next}`)).toMatchObject(read)
    expect(editsIn(`a.ts\n<<<< EDIT\na\n>>>> EDIT END\n\n${next}`)).toMatchObject(read)
  })

  it("is counted where it names no file, or is of another form", () => {
    const other = "a.ts\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    const answer = `${block("**a.ts**", "a\n", "b\n")}${block("b.ts", "<<<< EDIT\n", "q\n")}${other}`
    expect(editsIn(answer)).toMatchObject({ blocks: [{ path: "b.ts" }], incomplete: [], unreadable: 2 })
    expect(editsIn("A marker such as <<<< EDIT begins one.").unreadable).toBe(0)
  })

  it("has names in any language and, in quotes, with spaces", () => {
    for (const path of ["größe.ts", "größe.ts".normalize("NFD"), "メモ.md", "docs/メモ"]) {
      expect(editsIn(block(path, "a\n", "b\n")).blocks).toMatchObject([{ path }])
    }
    expect(editsIn(block("`docs/My notes.md`", "a\n", "b\n")).blocks).toMatchObject([{ path: "docs/My notes.md" }])
    for (const prose of ["次のように変更します", "変更します。", "docs/My notes.md", "`npm run x`"]) {
      expect(editsIn(block(prose, "a\n", "b\n"))).toMatchObject({ blocks: [], unreadable: 1 })
    }
  })

  it("is none in a model's thoughts, with or without their beginning", () => {
    const draft = block("a.ts", "a\n", "draft\n")
    const final = block("a.ts", "a\n", "b\n")
    const read = { blocks: [{ newLines: ["b"] }], incomplete: [], unreadable: 0 }
    expect(editsIn(`\n<think>\n${draft}${block("", "", "")}Or rather:</think>\n${final}`)).toMatchObject(read)
    expect(editsIn(`Perhaps:\n${draft}\n</think>\n${final}`)).toMatchObject(read)
    expect(editsIn(`<think>\n${draft}`)).toEqual({ blocks: [], incomplete: [], unreadable: 0 })
    const edited = editsIn(block("a.md", "<think>\n</think>\n", "</think>\n"))
    expect(edited.blocks).toMatchObject([{ oldLines: ["<think>", "</think>"], newLines: ["</think>"] }])
  })
})
