import {
  COMPACTION_TOKENS,
  cacheTarget,
  dropLargestFiles,
  estimateTokens,
  messageTokens,
  minCachedTokens,
  truncateHistory,
} from "@switchyard/core/work/context/budgets"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("the smallest prefix that is cached", () => {
  it.each([
    ["claude-opus-4-5", 4096],
    ["claude-opus-4-5-20251101", 4096],
    ["anthropic.claude-haiku-4.5-v1", 4096],
    ["claude-opus-5", 4096],
    ["claude-opus-4-1-20250805", 1024],
    ["claude-opus-4-20250514", 1024],
    ["claude-sonnet-4-5", 1024],
    ["claude-3-5-haiku-20241022", 1024],
    ["gpt-5", 1024],
  ])("of %s has %i tokens", (model, tokens) => {
    expect(minCachedTokens(model)).toBe(tokens)
    expect(cacheTarget(model)).toBe(Math.ceil(tokens * 1.1))
  })
})

describe("tokens", () => {
  it("are a quarter of the characters", () => {
    expect(estimateTokens(400)).toBe(100)
    expect(estimateTokens(0)).toBe(1)
  })

  it("of a message have its frame", () => expect(messageTokens(40)).toBe(14))
})

describe("files that don't fit", () => {
  const files = [
    { path: "b", tokens: 50 },
    { path: "a", tokens: 10 },
    { path: "c", tokens: 40 },
  ]

  it("are left out, the largest first, until nine tenths of the input hold the rest", () => {
    expect(dropLargestFiles(files, { otherTokens: 0, maxInputTokens: 200 })).toEqual({
      kept: ["a", "b", "c"],
      dropped: [],
    })
    expect(dropLargestFiles(files, { otherTokens: 0, maxInputTokens: 100 })).toEqual({
      kept: ["a", "c"],
      dropped: ["b"],
    })
    expect(dropLargestFiles(files, { otherTokens: 500, maxInputTokens: 100 })).toEqual({
      kept: [],
      dropped: ["b", "c", "a"],
    })
  })
})

describe("a conversation that has outgrown its compaction", () => {
  const message = fc.record({
    role: fc.constantFrom("user" as const, "assistant" as const),
    tokens: fc.nat({ max: 20_000 }),
  })

  it("is left alone up to twice the trigger", () => {
    const messages = [
      { role: "user" as const, tokens: COMPACTION_TOKENS },
      { role: "assistant" as const, tokens: COMPACTION_TOKENS },
    ]
    expect(truncateHistory(messages, COMPACTION_TOKENS)).toEqual(messages)
  })

  it("keeps its newest messages, from a user's on", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 30 }), (messages) => {
        const kept = truncateHistory(messages, COMPACTION_TOKENS)
        expect(messages.slice(messages.length - kept.length)).toEqual(kept)
        const wasCut = kept.length < messages.length
        const hasUser = messages.slice(-2).some(({ role }) => role === "user")
        if (wasCut && hasUser) expect(kept[0]?.role).toBe("user")
        const sum = kept.reduce((total, { tokens }) => total + tokens, 0)
        expect(kept.length <= 2 || sum <= 2 * COMPACTION_TOKENS).toBe(true)
      }),
    )
  })
})
