import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { nextPath } from "../../../../packages/web/src/features/access/next-path.ts"

const ORIGIN = "https://studio.example"
const asked = (next: string) => nextPath(`?${new URLSearchParams({ next })}`)

describe("where a login leads to", () => {
  it("goes on to the path that was asked for, with its query and its place on the page", () => {
    expect(asked("/s/ses_1/files/src/app.ts?at=3#line")).toBe("/s/ses_1/files/src/app.ts?at=3#line")
    expect(asked("/docs")).toBe("/docs")
  })

  it("goes home when nothing was asked for, or only to log in", () => {
    expect(nextPath("")).toBe("/")
    expect(asked("/login?next=/docs")).toBe("/")
    expect(asked("/login/")).toBe("/")
  })

  it.each([
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/.//evil.example",
    "/x/..//evil.example",
    "/%2e//evil.example",
    "https://evil.example/",
    "https:evil.example",
    "javascript:alert(1)",
    "\u0000//evil.example",
    " //evil.example",
    "docs",
  ])("goes home rather than to %j", (next) => {
    expect(asked(next)).toBe("/")
  })

  it("never leads to another site, whatever it is given", () => {
    const piece = fc.constantFrom(
      "/",
      "\\",
      ".",
      "..",
      "\t",
      "\n",
      "%2e",
      "%2f",
      "@",
      ":",
      "?",
      "#",
      "evil.example",
      "https:",
      " ",
      "a",
    )
    const hostile = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""))
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string(), fc.webUrl()), (next) => {
        const path = asked(next)
        expect(path).toMatch(/^\/(?![/\\])/)
        expect(new URL(path, ORIGIN).origin).toBe(ORIGIN)
        // The path stays the same if it is read a second time.
        expect(asked(path)).toBe(path)
      }),
      { numRuns: 2000 },
    )
  })
})
