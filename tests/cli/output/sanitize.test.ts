import fc from "fast-check"
import { clip, jsonLine, sanitizeLine } from "switchyard/output/sanitize"
import { wantsColor } from "switchyard/output/terminal"
import { describe, expect, it } from "vitest"

const OBEYED = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

describe("plain text", () => {
  it.each([
    ["colours", "\x1b[31mred\x1b[0m", "red"],
    ["a title", "a\x1b]0;owned\x07b", "ab"],
    ["an 8-bit sequence", "a\x9b2Jb", "ab"],
    ["a bell and a backspace", "a\x07\x08b", "ab"],
    ["what would overwrite the line", "safe\rrm -rf", "safe rm -rf"],
    ["new lines", "a\n\n\tb", "a b"],
    ["text that would read backwards", "a\u202etxt.exe", "atxt.exe"],
    ["half a character", "a\ud800", "a\ufffd"],
  ])("has lost %s", (_what, hostile, harmless) => {
    expect(sanitizeLine(hostile)).toBe(harmless)
  })

  it("has nothing that a terminal obeys, whatever it was", () => {
    const hostile = fc.string({
      unit: fc.constantFrom("\x1b", "[", "]", "3", "1", "m", "\x07", "\x9b", "\\", "é", "\n"),
    })
    fc.assert(fc.property(hostile, (text) => !OBEYED.test(sanitizeLine(text))))
  })
})

describe("a line of JSON", () => {
  it("is the same value, on one line, with nothing that a terminal obeys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
        const line = jsonLine({ value, text })
        expect(line).not.toMatch(OBEYED)
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify({ value, text })))
      }),
    )
    expect(jsonLine("\x9b\u202e\n")).toBe('"\\u009b\\u202e\\n"')
  })
})

describe("a status", () => {
  it("fits the width, and never half of a wide character", () => {
    expect(clip("abcdef", 4)).toBe("abcd")
    expect(clip("漢字漢字", 5)).toBe("漢字")
    expect(clip("a🚂b", 2)).toBe("a")
  })
})

describe("colour", () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
    [{ TERM: "dumb" }, true, false],
  ])("%o on a terminal (%s): %s", (env, isTty, colored) => {
    expect(wantsColor(env, isTty)).toBe(colored)
  })
})
