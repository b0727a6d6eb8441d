import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { apiBase } from "../../../../packages/web/src/features/access/api-base.ts"

const ORIGIN = "https://studio.example"

describe("the address of an API", () => {
  it.each([
    ["", ""],
    ["  ", ""],
    ["https://studio.example/", ""],
    ["https://api.example", "https://api.example"],
    ["https://api.example/", "https://api.example"],
    ["https://api.example/base//", "https://api.example/base"],
    ["api.example", "https://api.example"],
    ["http://127.0.0.1:3000", "http://127.0.0.1:3000"],
    ["HTTPS://API.example", "https://api.example"],
  ])("reads %j as %j", (typed, base) => {
    expect(apiBase(typed, ORIGIN)).toBe(base)
  })

  it.each([
    "ftp://api.example",
    "javascript://x",
    "https://",
    "https://ada:secret@api.example",
    "https://api.example/?key=1",
    "https://api.example/#x",
    "not an address",
  ])("takes %j for no address", (typed) => {
    expect(apiBase(typed, ORIGIN)).toBeNull()
  })

  it("can have a path put behind it, whatever was typed", () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string()), (typed) => {
        const base = apiBase(typed, ORIGIN)
        if (base === null) return
        expect(new URL(`${base}/health`, ORIGIN).pathname).toMatch(/\/health$/)
        expect(apiBase(base, ORIGIN)).toBe(base)
      }),
    )
  })
})
