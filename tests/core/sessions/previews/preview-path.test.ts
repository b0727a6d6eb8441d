import { previewSegment, verifyPreviewSegment } from "@switchyard/core/sessions/previews/preview-path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const KEY = new Uint8Array(32).fill(7)
const grant = { sid: "0123456789abcdef0123456789abcdef", incarnation: 1, seq: null, external: false }
const studio = "https://studio.example.com"
const segment = previewSegment(KEY, { grant, studio })

describe("the path of a preview", () => {
  it("stands for what it was made of", () => {
    expect(segment).toMatch(/^[\w-]+$/)
    expect(verifyPreviewSegment(KEY, segment)).toEqual({ grant, studio })
  })

  it("stands for nothing once any sign of it is another, or with another key", () => {
    const digit = fc.constantFrom(..."AZaz09-_")
    fc.assert(
      fc.property(fc.nat({ max: segment.length - 1 }), digit, (index, other) => {
        fc.pre(segment[index] !== other)
        expect(verifyPreviewSegment(KEY, segment.slice(0, index) + other + segment.slice(index + 1))).toBeUndefined()
      }),
    )
    expect(verifyPreviewSegment(new Uint8Array(32), segment)).toBeUndefined()
  })

  it.each(["", "a", "A".repeat(52), `${segment}=`, `${segment}A`, "A".repeat(401), "../.."])("isn't %j", (other) => {
    expect(verifyPreviewSegment(KEY, other)).toBeUndefined()
  })
})
