import { randomBytes } from "node:crypto"
import { createSealer } from "@switchyard/core/storage/sealing"
import { describe, expect, it } from "vitest"

const KEY = randomBytes(32)
const sealer = createSealer(KEY)
const sealed = sealer.seal("ada", "account/1", "a secret")
const unreadable = expect.objectContaining({ code: "secret_unreadable" })

describe("a sealed secret", () => {
  it("opens for its owner and name, also by another sealer with the same master key", () => {
    expect(createSealer(KEY).open("ada", "account/1", sealed)).toBe("a secret")
    expect(Buffer.from(sealed).includes("a secret")).toBe(false)
  })

  it.each([
    ["another owner", () => sealer.open("bob", "account/1", sealed)],
    ["another name", () => sealer.open("ada", "account/2", sealed)],
    ["another master key", () => createSealer(randomBytes(32)).open("ada", "account/1", sealed)],
    ["a text that is cut", () => sealer.open("ada", "account/1", sealed.subarray(0, -1))],
    ["an empty text", () => sealer.open("ada", "account/1", Buffer.of())],
  ])("doesn't open for %s", (_, open) => {
    expect(open).toThrow(unreadable)
  })

  it("doesn't open if any of its bytes has changed", () => {
    for (const at of sealed.keys()) {
      const altered = Buffer.from(sealed)
      altered[at] = (altered[at] ?? 0) ^ 1
      expect(() => sealer.open("ada", "account/1", altered), `byte ${at}`).toThrow(unreadable)
    }
  })
})
