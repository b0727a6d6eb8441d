import { isBinary } from "@switchyard/core/files/workspaces/blob-store"
import { editableBytes, MAX_EDITABLE_BYTES } from "@switchyard/core/files/workspaces/text"
import { describe, expect, it } from "vitest"

const refused = expect.objectContaining({ code: "workspace_validation_error", details: { path: "a" } })

describe("a text for the editor", () => {
  it.each(["x", "é", "日", "😀"])("has at most 400,000 characters: %s", (character) => {
    expect(editableBytes(character.repeat(400_000), "a").length).toBeLessThanOrEqual(MAX_EDITABLE_BYTES)
    expect(() => editableBytes(character.repeat(400_001), "a")).toThrow(refused)
  })

  it("counts a character beyond the basic plane once", () => {
    expect(editableBytes(`${"😀".repeat(399_999)}x`, "a").length).toBe(1_599_997)
    expect(() => editableBytes(`${"😀".repeat(399_999)}xx`, "a")).toThrow(refused)
  })

  it("is refused where it could not be read back as it was", () => {
    expect(() => editableBytes("a\ud83d", "a")).toThrow(refused)
    expect(() => editableBytes("a\0b", "a")).toThrow(refused)
  })

  it("is given as UTF-8, byte order mark and all", () => {
    expect(Buffer.from(editableBytes("\ufeffé\r\n", "a")).toString("hex")).toBe("efbbbfc3a90d0a")
  })
})

describe("binary", () => {
  it.each([
    ["no bytes at all", Buffer.alloc(0), false],
    ["text", Buffer.from("über 😀\r\n\t"), false],
    ["text with a NUL", Buffer.from("a\0b"), true],
    ["Latin 1", Buffer.from([0x66, 0xfc, 0x72]), true],
    ["a character that is cut off", Buffer.from("é").subarray(0, 1), true],
    ["a surrogate in UTF-8", Buffer.from([0xed, 0xa0, 0x80]), true],
    ["an overlong slash", Buffer.from([0xc0, 0xaf]), true],
  ])("is not what we call %s: %#", (_, bytes, expected) => expect(isBinary(bytes)).toBe(expected))
})
