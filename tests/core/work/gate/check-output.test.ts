import { errorLines, shortenOutput } from "@switchyard/core/work/gate/check-output"
import { describe, expect, it } from "vitest"

const noise = (count: number) => "Reading files …\n".repeat(count)

describe("a long output", () => {
  it("is shortened to what follows its first error, and its end", () => {
    const errors = "src/a.ts(1,2): error TS2322: Wrong.\n"
    const shown = shortenOutput(`${noise(900)}${errors}${noise(900)}3 files had errors.`, 1000)
    expect(shown).toContain(errors)
    expect(shown).toMatch(/^\[… 14,?400 characters left out …\]\n/)
    expect(shown.endsWith("3 files had errors.")).toBe(true)
    expect(shown.length).toBeLessThan(1100)
  })

  it("keeps its beginning if nothing in it reports an error", () => {
    const shown = shortenOutput(`Starting\n${noise(900)}The end`, 1000)
    expect(shown).toMatch(/^Starting\n/)
    expect(shown.endsWith("The end")).toBe(true)
  })

  it("isn't cut twice if the first error is near its end", () => {
    const shown = shortenOutput(`${noise(900)}Error: late\n${noise(40)}`, 1000)
    expect(shown.match(/left out/g)).toHaveLength(1)
    expect(shown).toContain("Error: late")
  })

  it("stays as it is if it is short", () => {
    expect(shortenOutput("Error: x", 8)).toBe("Error: x")
  })
})

describe("the lines that report an error", () => {
  it.each([
    ["> tsc --noEmit\nsrc/a.ts:1:2 - error TS1: Wrong.\nFound 0 errors", ["src/a.ts:1:2 - error TS1: Wrong."]],
    ["./main.go:3:8: declared and not used: x", ["./main.go:3:8: declared and not used: x"]],
    ["✔ fails without a name (1ms)\n✖ adds (2ms)\nℹ fail 1\nnpm error code 1", ["✖ adds (2ms)"]],
    ["ok 1 - throws an error\nnot ok 2 - adds", ["not ok 2 - adds"]],
    ["E   AssertionError\n".repeat(9), ["E   AssertionError"]],
    ["one\n\ntwo\n", ["one", "two"]],
    ["", []],
  ])("of %j are found", (output, lines) => {
    expect(errorLines(output)).toEqual(lines)
  })

  it("are few and short", () => {
    const lines = errorLines(Array.from({ length: 99 }, (_, index) => `error ${index} ${"x".repeat(900)}`).join("\n"))
    expect(lines).toHaveLength(5)
    expect(lines.join("\n").length).toBeLessThan(1100)
  })
})
