import { applyEdits } from "@switchyard/core/files/edits/search-replace"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("edits", () => {
  it("are made one after the other, each on what those before it left", () => {
    const edits = [
      { search: "one", replace: "two" },
      { search: "two three", replace: "four" },
    ]
    expect(applyEdits("one three\n", edits)).toEqual({ text: "four\n" })
  })

  it("take what they put in place as it is, dollar signs and all", () => {
    expect(applyEdits("a b", [{ search: "a", replace: "$& $1 $$" }])).toEqual({ text: "$& $1 $$ b" })
  })

  it("fill an empty file", () => {
    expect(applyEdits("", [{ search: "", replace: "a\n" }])).toEqual({ text: "a\n" })
    expect(applyEdits("", [{ search: "", replace: "" }]).problem).toContain("don't change anything")
  })

  it("keep the line ends of a file that has others than the model wrote", () => {
    const edited = applyEdits("a\r\nb\r\nc\r\n", [{ search: "a\nb", replace: "x\ny" }])
    expect(edited).toEqual({ text: "x\r\ny\r\nc\r\n" })
  })

  it.each([
    ["nothing to search for", [{ search: "", replace: "x" }], "is empty"],
    ["a text that isn't there", [{ search: "nope", replace: "x" }], "isn't in the file."],
    ["a text that is there twice", [{ search: "end", replace: "" }], "more than once (lines 4 and 5)"],
    ["the same in its place", [{ search: "start", replace: "start" }], "don't change anything"],
    [
      "one of several that can't be made",
      [
        { search: "start", replace: "begin" },
        { search: "start", replace: "begin" },
      ],
      "in edit 2 isn't in",
    ],
  ])("are refused where there is %s", (_, edits, words) => {
    const text = "start\n  const x = 1\n  y()\nend\nend\n"
    expect(applyEdits(text, edits).problem).toContain(words)
  })

  it.each([
    ["other space", "const x = 1\n    y()", "Did you mean this, from line 2?\n  const x = 1\n  y()"],
    ["another line ahead", "// x\n  const x = 1", "Did you mean this, from line 1?\nstart\n  const x = 1"],
    ["other words in it", "  const x = 11", "Did you mean this, from line 2?\n  const x = 1"],
    ["nothing like it", "return z", undefined],
  ])("that find their text with %s show the place that was probably meant", (_, search, nearest) => {
    const text = "start\n  const x = 1\n  y()\nend\nend\n"
    const problem = "The text to search for isn't in the file."
    expect(applyEdits(text, [{ search, replace: "" }])).toEqual({ problem, nearest })
  })

  it("change only the place that they name", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "b", "\n", "é", "😀"), maxLength: 20 })
    fc.assert(
      fc.property(part, part, part, (before, after, replace) => {
        const edited = applyEdits(`${before}<here>${after}`, [{ search: "<here>", replace }])
        expect(edited).toEqual({ text: before + replace + after })
      }),
    )
  })
})
