import type { PreviewGrant } from "@switchyard/core/sessions/previews/preview-grant"
import { previewLabel, verifyPreviewLabel } from "@switchyard/core/sessions/previews/preview-host"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const KEY = new Uint8Array(32).fill(7)

const grants: fc.Arbitrary<PreviewGrant> = fc.record({
  sid: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString("hex")),
  incarnation: fc.integer({ min: 1, max: 0xffff }),
  seq: fc.option(fc.integer({ min: 1, max: 1e14 })),
  external: fc.boolean(),
})

describe("the name of a preview's host", () => {
  it("is one DNS label, and stands for what it was made of, in any case", () => {
    fc.assert(
      fc.property(grants, (grant) => {
        const label = previewLabel(KEY, grant)
        expect(label).toMatch(/^[0-9a-z]{63}$/)
        expect(verifyPreviewLabel(KEY, label.toUpperCase())).toEqual(grant)
      }),
    )
  })

  it("stands for nothing once any sign of it is another, or with another key", () => {
    const at = fc.integer({ min: 0, max: 62 })
    const digit = fc.constantFrom(..."0123456789abcdefghijklmnopqrstuv")
    fc.assert(
      fc.property(grants, at, digit, (grant, index, other) => {
        const label = previewLabel(KEY, grant)
        fc.pre(label[index] !== other)
        expect(verifyPreviewLabel(KEY, label.slice(0, index) + other + label.slice(index + 1))).toBeUndefined()
        expect(verifyPreviewLabel(new Uint8Array(32), label)).toBeUndefined()
      }),
    )
  })

  it.each(["", "0".repeat(62), "z".repeat(63), "v".repeat(63), "0".repeat(63), "0".repeat(64)])("isn't %j", (label) =>
    expect(verifyPreviewLabel(KEY, label)).toBeUndefined(),
  )
})
