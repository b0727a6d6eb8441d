import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { changedLines } from "../../../../packages/web/src/features/chat/line-changes.ts"

const signs = { context: " ", add: "+", delete: "-" }
const drawn = (before: string, after: string) =>
  changedLines(before, after).map(({ type, text, changed = [] }) => {
    // Starts at the last part, so that the offsets of earlier parts stay valid.
    const marked = changed.reduceRight((line, [from, to]) => {
      return `${line.slice(0, from)}[${line.slice(from, to)}]${line.slice(to)}`
    }, text)
    return signs[type] + marked
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

  it("have each changed part of a line marked", () => {
    expect(drawn("sum(first, last)", "sum(next, final)")).toEqual(["-sum([first], [last])", "+sum([next], [final])"])
  })

  it("are all of a new file's", () => {
    expect(drawn("", "a\nb")).toEqual(["+a", "+b"])
  })

  it("have every removed and every added word of both texts", () => {
    const text = fc.array(fc.constantFrom("a", "b c", "", "d(e)"), { maxLength: 8 }).map((lines) => lines.join("\n"))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = changedLines(before, after)
        const of = (wanted: string) => lines.filter(({ type }) => type === wanted).map(({ text }) => text)
        const without = (text: string, gone: string[]) => {
          const rest = text === "" ? [] : text.split("\n")
          for (const line of gone) {
            expect(rest).toContain(line)
            rest.splice(rest.indexOf(line), 1)
          }
          return rest.sort()
        }
        expect(without(before, of("delete"))).toEqual(without(after, of("add")))
        if (before === after) expect([...of("add"), ...of("delete")]).toEqual([])
      }),
    )
  })
})
