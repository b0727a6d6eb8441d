import { describe, expect, it } from "vitest"
import { insertMention, mentionAt } from "../../../../packages/web/src/features/conversation/mentions.ts"

describe("a mention of a file", () => {
  it("is what follows an @ up to the caret, and no part of an address", () => {
    expect(mentionAt("see @src/a", 10)).toEqual({ at: 4, query: "src/a" })
    expect(mentionAt("@", 1)).toEqual({ at: 0, query: "" })
    expect(mentionAt("ada@example.org", 15)).toBeNull()
    expect(mentionAt("see @a b", 8)).toBeNull()
  })

  it("is replaced by the path, with one space after it", () => {
    expect(insertMention("see @sr now", { at: 4, query: "sr" }, "src/a.ts")).toEqual({
      text: "see @src/a.ts now",
      caret: 14,
    })
  })
})
