import { claimsChange } from "@switchyard/core/work/chat/edits/claimed-change"
import { describe, expect, it } from "vitest"

describe("an answer", () => {
  it.each([
    "I have updated src/exit.ts",
    "Done! I've added the check to `src/a.ts`.",
    "First some words.\n\nI just fixed the bug in both files.",
    "I renamed it in main.py, as you wished.",
  ])("claims a change (%s)", (answer) => {
    expect(claimsChange(answer)).toBe(true)
  })

  it.each([
    "You could update src/exit.ts.",
    "I have updated src/exit.ts before, in the last answer.",
    "If I changed src/exit.ts, it would break.",
    "I haven't changed src/exit.ts.",
    "I have added nothing to it.",
    "```\nI have updated src/exit.ts\n```",
    "> I have updated src/exit.ts",
    "<think>I have updated src/exit.ts</think>It exits.",
    "src/exit.ts has been changed often.",
  ])("claims none (%s)", (answer) => {
    expect(claimsChange(answer)).toBe(false)
  })
})
