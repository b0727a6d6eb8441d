import { applyEdit } from "@switchyard/core/files/edits/apply-edit"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const edit = (text: string | undefined, oldLines: string[], newLines: string[]) =>
  applyEdit(text, { path: "a", oldLines, newLines })

describe("an edit", () => {
  it("replaces the old lines where they occur once, and leaves every other byte", () => {
    const eol = fc.constantFrom("\n", "\r\n")
    const line = fc.stringMatching(/^[a-z]{0,8}$/)
    fc.assert(
      fc.property(fc.array(line), fc.array(line), eol, fc.boolean(), (before, after, end, isEnded) => {
        const text = [...before, "THE LINE", ...after].join(end) + (isEnded ? end : "")
        // A single line without a line end doesn't show which line ends the file uses.
        const expected = text.replace("THE LINE", ["ONE", "TWO"].join(text.includes(end) ? end : "\n"))
        expect(edit(text, ["THE LINE"], ["ONE", "TWO"])).toMatchObject({ status: "applied", text: expected })
      }),
    )
  })

  it("removes lines", () => {
    expect(edit("a\nb\nc", ["b", "c"], ["b"])).toMatchObject({ text: "a\nb" })
    expect(edit("a\nb\n", ["a"], [])).toMatchObject({ text: "b\n" })
  })

  it("fails where the lines occur twice, and says where", () => {
    expect(edit("a\nb\na\n", ["a"], ["c"])).toMatchObject({
      error: "ambiguous_anchor",
      message: expect.stringContaining("1, 3"),
    })
  })

  it("finds each place of lines that repeat, even where places overlap", () => {
    const lines = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 12 })
    const few = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(lines, few, (text, old) => {
        const places = text.flatMap((_, at) => (old.every((line, index) => text[at + index] === line) ? [at + 1] : []))
        const result = edit(text.join("\n"), old, ["c"])
        if (places.length === 1) expect(result).toMatchObject({ status: "applied", line: places[0] })
        else if (places.length === 0) expect(result).toMatchObject({ error: "anchor_not_found" })
        else {
          const message = `occur ${places.length} times, at lines ${places.slice(0, 5).join(", ")}.`
          expect(result).toMatchObject({ error: "ambiguous_anchor", message: expect.stringContaining(message) })
        }
      }),
    )
  })

  it("says how close it came", () => {
    const text = "if (x) {\n  run()\n}\n"
    expect(edit(text, ["run()"], ["go()"])).toMatchObject({ message: expect.stringContaining("whitespace") })
    expect(edit(text, ["if (x) {", "  walk()"], [])).toMatchObject({
      message: "The first line matches line 1, but line 2 differs.",
    })
    expect(edit(text, ["nothing"], ["x"])).toMatchObject({ message: "The old lines aren't in the file." })
  })

  it("quotes the lines that were probably meant, if it is asked to", () => {
    const text = "import x\n\nexport function renew(lease) {\n  return lease\n}\n"
    const block = { path: "a.ts", oldLines: ["export function renew(lock) {", "  return lock"], newLines: ["x"] }
    const message =
      "The old lines aren't in the file.\nDid you mean this, from line 3?\nexport function renew(lease) {\n  return lease"
    expect(applyEdit(text, block, { quotesNearest: true })).toMatchObject({ error: "anchor_not_found", message })
    expect(applyEdit("one\n", block, { quotesNearest: true })).toMatchObject({
      message: "The old lines aren't in the file.",
    })
  })

  it("is never made of whole lines' parts", () => {
    expect(edit("const ab = 1\n", ["const a"], ["const b"])).toMatchObject({ error: "anchor_not_found" })
  })

  it("knows when it was made already", () => {
    expect(edit("b\n", ["a"], ["b"])).toMatchObject({ status: "already_applied" })
    expect(edit("b\r\n\r\n", [], ["b"])).toMatchObject({ status: "already_applied" })
  })

  it("creates a file, and never over another text", () => {
    expect(edit(undefined, [], ["a", "b"])).toMatchObject({ text: "a\nb\n" })
    expect(edit("", [], [])).toMatchObject({ status: "already_applied" })
    expect(edit("x", [], ["a"])).toMatchObject({ error: "validation_error" })
    expect(edit(undefined, ["a"], ["b"])).toMatchObject({ error: "file_not_found" })
  })

  it("fills an empty file like a new one, and keeps its line ends and its mark", () => {
    for (const old of [[], [""], ["", "  "]]) {
      expect(edit("", old, ["a", "b"])).toMatchObject({ status: "applied", text: "a\nb\n", message: "Applied." })
    }
    expect(edit("\r\n\r\n", [], ["a"])).toMatchObject({ status: "applied", text: "a\r\n" })
    expect(edit("\ufeff", [], ["a"])).toMatchObject({ status: "applied", text: "\ufeffa\n" })
    expect(edit("", ["a"], ["b"])).toMatchObject({ error: "anchor_not_found" })
  })

  it("leaves the ends of lines that stay, in a file that has several kinds", () => {
    expect(edit("a\nb\r\nc\nd\r\n", ["a", "b", "c", "d"], ["a", "b", "x", "y", "d"])).toMatchObject({
      text: "a\nb\r\nx\ny\nd\r\n",
    })
    expect(edit("a\r\nb", ["a", "b"], ["x", "a", "b"])).toMatchObject({ text: "x\r\na\r\nb" })
    expect(edit("a\r\nb", ["b"], ["b", "c"])).toMatchObject({ text: "a\r\nb\r\nc" })
  })

  it("leaves a byte order mark, which a model can't see", () => {
    expect(edit("\ufeffa\nb\n", ["a"], ["c"])).toMatchObject({ status: "applied", text: "\ufeffc\nb\n", line: 1 })
    expect(edit("\ufeffa\n", ["\ufeffa"], ["\ufeffc"])).toMatchObject({ text: "\ufeffc\n" })
    expect(edit("\ufeffa\n", [], ["a"])).toMatchObject({ status: "already_applied" })
  })
})
