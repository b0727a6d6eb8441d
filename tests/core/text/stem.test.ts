import { singular, startOfStem, stem } from "@switchyard/core/text/stem"
import { describe, expect, it } from "vitest"

describe("a word's stem", () => {
  it.each([
    "notify notifies notified notifying notification notifications notifier",
    "filter filters filtering filtered",
    "validate validates validating validated validation validator",
    "cancel cancelled cancelling cancellation",
    "authorize authorized authorizing authorization",
    "category categories",
    "calculate calculated calculation calculator",
    "sort sorted sorting sorter",
    "reminder reminders remind reminding",
    "address addresses",
  ])("is the same for %s, and each of them begins with it", (words) => {
    const stems = new Set(words.split(" ").map(stem))
    expect([...stems]).toHaveLength(1)
    const start = startOfStem([...stems][0] ?? "")
    for (const word of words.split(" ")) expect(word).toMatch(new RegExp(`^${start}`))
  })

  it("tells apart words that only look alike", () => {
    const words = [
      "form",
      "format",
      "port",
      "portal",
      "user",
      "use",
      "status",
      "state",
      "order",
      "border",
      "art",
      "article",
    ]
    expect(new Set(words.map(stem)).size).toBe(words.length)
  })

  it("leaves words without a plural as they are", () => {
    expect(["status", "analysis", "class", "gas", "bus"].map(singular)).toEqual([
      "status",
      "analysis",
      "class",
      "gas",
      "bus",
    ])
    expect(["policies", "boxes", "classes", "users"].map(singular)).toEqual(["policy", "box", "class", "user"])
  })
})
