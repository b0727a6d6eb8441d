import { stripVTControlCharacters } from "node:util"
import { withoutSequences } from "@switchyard/core/text/terminal-sequences"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("a text without a terminal's sequences", () => {
  it.each([
    ["colours", "\x1b[1;31ma\x1b[0m\x9b2mb", "ab"],
    ["titles and links", "\x1b]0;title\x07a\x1b]8;;https://b.example\x1b\\c\x1b]8;;\x1b\\", "ac"],
    ["other strings", "\x1bPq#0\x1b\\a\x1b_b\x9cc", "ac"],
    ["short sequences", "\x1b7a\x1b(Bb\x1b=", "ab"],
    ["a string without an end", "\x1b]0;title\nFAIL", "0;title\nFAIL"],
    ["what a text breaks off in", "a\x1b[1", "a"],
  ])("has no %s", (_, text, expected) => expect(withoutSequences(text)).toBe(expected))

  it("is what Node makes of colours, titles and links", () => {
    const piece = fc.constantFrom(
      "\x1b[0m",
      "\x1b[38;5;9m",
      "\x1b]0;a b\x07",
      "\x1b]8;;http://a\x07",
      "a",
      "\n",
      "0;",
      " ",
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("")
        expect(withoutSequences(text)).toBe(stripVTControlCharacters(text))
      }),
    )
  })
})
