import { patched } from "@switchyard/demo-model/patch"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("a change of a text", () => {
  it("is the new text where nobody edited the old one", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (from, to) => {
        expect(patched(from, from, to)).toBe(to)
      }),
    )
  })

  it("keeps edits elsewhere", () => {
    expect(patched("mine\na\nb\nc\nd\n", "a\nb\nc\nd\n", "a\nb\nnew\nc\nd\n")).toBe("mine\na\nb\nnew\nc\nd\n")
  })

  it("does nothing where the lines are gone, or stand there twice", () => {
    expect(patched("a\nx\n", "a\nb\nc\n", "a\nB\nc\n")).toBeUndefined()
    expect(patched("a\nb\nc\na\nb\nc\n", "a\nb\nc\n", "a\nB\nc\n")).toBeUndefined()
  })

  it("makes the lines of the new text, whatever the two are, in a text with more around it", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "{", "}", ""), { maxLength: 12 })
    fc.assert(
      fc.property(lines, lines, (from, to) => {
        const around = (text: string[]) => ["top", ...text, "bottom"].join("\n")
        const made = patched(`mine\n${around(from)}`, around(from), around(to))
        if (made !== undefined) expect(made).toBe(`mine\n${around(to)}`)
      }),
    )
  })
})
