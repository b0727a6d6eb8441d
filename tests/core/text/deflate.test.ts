import { randomBytes } from "node:crypto"
import { deflate, inflate } from "@switchyard/core/text/deflate"
import { describe, expect, it } from "vitest"

describe("what was deflated", () => {
  // Small and large texts take different code paths.
  it.each([0, 1, 4096, 16_384, 16_385, 300_000])(
    "is the same text again: %i random bytes as hexadecimal",
    async (size) => {
      const text = `é${randomBytes(size).toString("hex")}`
      expect(await inflate(await deflate(text))).toBe(text)
      expect(await inflate(await deflate(Buffer.from(text)))).toBe(text)
    },
  )

  it.each([10, 100_000])("fails to be read where its end is missing: of %i bytes", async (size) => {
    const whole = await deflate(randomBytes(size).toString("hex"))
    await expect(inflate(whole.subarray(0, whole.length / 2))).rejects.toThrow("unexpected end of file")
    await expect(inflate(Buffer.alloc(0))).rejects.toThrow("unexpected end of file")
  })
})
