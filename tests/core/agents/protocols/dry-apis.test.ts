import type { BuiltInCli } from "@switchyard/core/agents/clis/clis"
import { problemOf } from "@switchyard/core/agents/protocols/api-refusal"
import { describe, expect, it } from "vitest"
import { dryApi, dryApis } from "../../../clis/dry-apis.ts"

const NOW = Date.parse("2026-11-24T12:00:00Z")

describe("what a vendor's API answers when it is dry", () => {
  it.each(dryApis.filter(({ status }) => status >= 400).map((api) => [`${api.clis.join(" and ")}: ${api.name}`, api]))(
    "is known with its end (%s)",
    (_, { status, headers, body, expected }) => {
      const { kind, resetsInS, resetsAtMidnight = false } = expected
      const { problem } = problemOf({ status, headers: headers(NOW), body: JSON.stringify(body(NOW)), now: NOW })
      expect(problem?.kind).toBe(kind)
      if (resetsAtMidnight) expect(problem?.resets_at).toMatch(/T\d\d:00:00.000Z$/)
      else if (resetsInS === undefined) expect(problem?.resets_at).toBeUndefined()
      else expect(problem?.resets_at).toBe(new Date(NOW + resetsInS * 1000).toISOString())
    },
  )

  it.each([
    ["2026-11-24T12:00:00Z", "2026-11-25T08:00:00.000Z"],
    ["2026-11-25T07:59:59Z", "2026-11-25T08:00:00.000Z"],
    ["2026-11-25T08:00:00Z", "2026-11-26T08:00:00.000Z"],
    ["2026-07-24T12:00:00Z", "2026-07-25T07:00:00.000Z"],
    // The day on which the clocks are set back has 25 hours.
    ["2026-11-01T07:00:00Z", "2026-11-02T08:00:00.000Z"],
  ])("ends a day of Google's at its midnight (%s)", (now, end) => {
    expect(endOf("gemini", "quota-of-a-day", now)).toBe(end)
  })

  it.each([
    ["2026-11-24T12:00:00Z", "2026-11-29T16:00:00.000Z"],
    ["2026-11-29T15:59:00Z", "2026-11-29T16:00:00.000Z"],
    ["2026-11-29T16:00:00Z", "2026-12-06T16:00:00.000Z"],
  ])("ends a week of Alibaba's with its Sunday (%s)", (now, end) => {
    expect(endOf("qwen", "coding-plan-week", now)).toBe(end)
  })

  it.each([
    ["Please try again in 7m12s.", 432],
    ["Please try again in 1h0m3.5s.", 3603.5],
    ["Please try again in 20ms.", 0.02],
    ["Please try again in 6m. Visit us.", 360],
    ["Please try again in a moment.", undefined],
    ["Please try again in 5 minutes.", undefined],
    ["Please try again in s.", undefined],
  ])("names the end in words (%s)", (message, inS) => {
    const { problem } = problemOf({ status: 429, headers: {}, body: JSON.stringify({ error: { message } }), now: NOW })
    expect(problem?.resets_at).toBe(inS === undefined ? undefined : new Date(NOW + inS * 1000).toISOString())
  })

  it("says why, even with the capital letter of AWS's IAM", () => {
    const Message = "User: u is not authorized to perform: bedrock:InvokeModelWithResponseStream"
    const { problem } = problemOf({ status: 403, headers: {}, body: JSON.stringify({ Message }), now: NOW })
    expect(problem).toEqual({ kind: "auth", message: Message })
  })
})

function endOf(cli: BuiltInCli, name: string, at: string): string | undefined {
  const now = Date.parse(at)
  const { status, headers, body } = dryApi(cli, name)
  return problemOf({ status, headers: headers(now), body: JSON.stringify(body(now)), now }).problem?.resets_at
}
