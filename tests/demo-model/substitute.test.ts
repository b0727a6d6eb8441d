import { runInNewContext } from "node:vm"
import { quoted, substitute } from "@switchyard/demo-model/substitute"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("filling in", () => {
  it("takes the longer of two words that begin at one place", () => {
    expect(substitute("samples of a sample", { sample: "note", samples: "notes" })).toBe("notes of a note")
  })

  it("replaces nothing in what was filled in, and takes no word for a pattern", () => {
    expect(substitute("a.b a+b", { "a.b": "$& a+b $1", "a+b": "c" })).toBe("$& a+b $1 c")
  })

  it("leaves a text alone for which there are no words", () => {
    expect(substitute("as it is", {})).toBe("as it is")
  })
})

describe("text in code", () => {
  it("is a literal that means that text and nothing else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(runInNewContext(quoted(text))).toBe(text)
        expect(JSON.parse(quoted(text))).toBe(text)
      }),
    )
  })
})
