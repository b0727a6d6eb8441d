import { titleOf } from "@switchyard/core/work/runs/title"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("the title of a prompt", () => {
  it.each([
    ["A page", "A page"],
    ["\n  \n  A page\nwith a second line", "A page"],
    ["tabs\tand   spaces", "tabs and spaces"],
    ["a\u2028b", "a"],
    ["", ""],
    [`${"word ".repeat(30)}`, `${"word ".repeat(15).trim()}…`],
    ["x".repeat(200), `${"x".repeat(79)}…`],
    ["🦊".repeat(100), `${"🦊".repeat(79)}…`],
  ])("of %j is %j", (prompt, title) => {
    expect(titleOf(prompt)).toBe(title)
  })

  it("is one line of at most 80 characters, whatever was asked", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (prompt) => {
        const title = titleOf(prompt)
        expect([...title].length).toBeLessThanOrEqual(80)
        expect(title).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        if (prompt.isWellFormed()) expect(title.isWellFormed()).toBe(true)
      }),
    )
  })
})
