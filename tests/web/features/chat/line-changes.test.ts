import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { changedLines } from "../../../../packages/web/src/features/chat/line-changes.ts"

const drawn = (before: string, after: string) =>
  changedLines(before, after).map(({ sign, runs }) => {
    return sign + runs.map(({ text, marked }) => (marked ? `[${text}]` : text)).join("")
  })

describe("the lines of an edit", () => {
  it("are those that differ, with one around them and the changed words marked", () => {
    const before = "one\ntwo\nsetInterval(() => renew(key), 20)\nfour\nfive"
    const after = "one\ntwo\nonProgress(() => renew(key), 20)\nfour\nfive"
    expect(drawn(before, after)).toEqual([
      " two",
      "-[setInterval](() => renew(key), 20)",
      "+[onProgress](() => renew(key), 20)",
      " four",
    ])
  })

  it("are all of a new file's", () => {
    expect(drawn("", "a\nb")).toEqual(["+a", "+b"])
  })

  it("have every removed and every added word of both texts", () => {
    const text = fc.array(fc.constantFrom("a", "b c", "", "d(e)"), { maxLength: 8 }).map((lines) => lines.join("\n"))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = changedLines(before, after)
        const of = (sign: string) =>
          lines.filter((line) => line.sign === sign).map(({ runs }) => runs.map((run) => run.text).join(""))
        for (const line of of("-")) expect(before.split("\n")).toContain(line)
        for (const line of of("+")) expect(after.split("\n")).toContain(line)
        if (before === after) expect([...of("+"), ...of("-")]).toEqual([])
        else expect(lines.length).toBeGreaterThan(0)
      }),
    )
  })
})
