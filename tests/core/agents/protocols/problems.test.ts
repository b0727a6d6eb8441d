import { turnOutcome } from "@switchyard/core/agents/protocols/outcome"
import { problemFrom, problemInStderr } from "@switchyard/core/agents/protocols/problems"
import { streamJson } from "@switchyard/core/agents/protocols/stream-json"
import { describe, expect, it } from "vitest"

const innocent = [
  "I added a handler for too many requests.",
  "The account disabled flag is now read before the quota exceeded page is shown.",
  "Tests cover 429, insufficient_quota and RESOURCE_EXHAUSTED.",
  "You've hit your limit · resets 4pm is what the screen says.",
  "Credit balance is too low, says the fixture.",
  "raise RateLimitError('rate limit exceeded')",
]

const ended = {
  end: undefined,
  retrying: undefined,
  stopped: undefined,
  exitCode: 0,
  signal: null,
  stderr: "",
  summarised: true,
} as const

describe("what an agent or its tools say", () => {
  it.each(innocent)("is never a limit: %s", (text) => {
    const task = {
      prompt: "",
      root: "/project",
      cwd: "/project",
      home: "/home",
      model: null,
      reasoning: null,
      resume: null,
    }
    const dialogue = streamJson(task, { inputIncludesCacheRead: false, resumedUsageIsTotal: false })
    const lines = [
      { type: "assistant", message: { id: "m", content: [{ type: "text", text }] } },
      {
        type: "user",
        message: { content: [{ type: "tool_result", tool_use_id: "t", is_error: true, content: text }] },
      },
      { type: "result", is_error: false, result: text },
    ]
    const { events } = dialogue.parse(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join("")))
    expect(events.map(({ type }) => type)).toEqual(["text", "tool_finished", "usage", "turn_completed"])
    const outcome = turnOutcome({ ...ended, end: { type: "turn_completed" }, stderr: `${text}\n` })
    expect(outcome).toEqual({ type: "completed" })
  })
})

describe("a failure", () => {
  it.each([
    ["You’ve hit your usage limit. Try again at 10:37 PM.", "quota_exhausted"],
    ["You've hit your limit · resets 10:40pm (UTC)", "quota_exhausted"],
    ["Your credit balance is too low", "billing"],
    ["overloaded_error", "overloaded"],
    ["insufficientquota", "quota_exhausted"],
    ["insufficient_quota", "quota_exhausted"],
    ["rate_limit_exceeded", "rate_limited"],
    ["RateLimitExceeded", "rate_limited"],
    ["billing_hard_limit_reached", "billing"],
    ["You exceeded your current quota", "quota_exhausted"],
    ["You have exceeded your rate limit", "rate_limited"],
    ["You have exceeded your usage limit", "quota_exhausted"],
    ["credit_balance is insufficient", "billing"],
    ["API is overloaded", "overloaded"],
    ["rate limit exceeded", "rate_limited"],
    ["You've hit your limit · resets 4pm (Europe/Berlin)", "quota_exhausted"],
    ["RESOURCE_EXHAUSTED", "rate_limited"],
    ["Resource exhausted, please try again later.", "rate_limited"],
    ["Quota exceeded for project 12", "quota_exhausted"],
    ["The quota has been exceeded.", "quota_exhausted"],
    ["insufficient credits", "billing"],
    ["Insufficient quota", "quota_exhausted"],
    ["insufficient funds", "billing"],
    ["You are out of credits", "billing"],
    ["credits exhausted", "billing"],
    ["Usage limit exceeded", "quota_exhausted"],
    ["usage_limit_reached", "quota_exhausted"],
    ["Claude AI usage limit reached", "quota_exhausted"],
    ["Weekly limit reached", "quota_exhausted"],
    ["billing limit exceeded", "billing"],
    ["Payment required", "billing"],
    ["Your account has been suspended", "billing"],
    ["account disabled", "billing"],
    ["error 429", "rate_limited"],
    ["rate_limit_error", "rate_limited"],
    ["Internal error: Connection reset by server", "network"],
    ["terminated", "network"],
    ["Internal error", "overloaded"],
    ["The generated function separate_limits isn't there.", "unknown"],
    ["unexpected status 401 Unauthorized: no", "auth"],
    ["the disk is full", "unknown"],
  ])("is known by its words where there is nothing else: %s", (message, kind) => {
    expect(problemFrom({ message }).kind).toBe(kind)
  })

  it("is known by its status before its words", () => {
    expect(problemFrom({ message: "too many requests", status: 503 }).kind).toBe("overloaded")
  })

  it("is known by the API's own name for it, too", () => {
    const told = { message: "Try again later.", status: 429 }
    expect(problemFrom({ ...told, code: "insufficient_quota" }).kind).toBe("quota_exhausted")
    expect(problemFrom({ ...told, message: "Insufficient credits" }).kind).toBe("billing")
    expect(problemFrom(told).kind).toBe("rate_limited")
  })

  it("keeps the time at which a limit ends", () => {
    const { resets_at } = problemFrom({ message: "You will regain access on 2026-12-01 at 00:00 UTC.", status: 429 })
    expect(resets_at).toBe("2026-12-01T00:00:00.000Z")
    for (const time of ["2026-13-01 at 00:00", "2026-12-45 at 00:00", "2026-12-01 at 99:00"]) {
      expect(problemFrom({ message: `Access returns on ${time} UTC.`, status: 429 }), time).not.toHaveProperty(
        "resets_at",
      )
    }
  })

  it("is looked for in standard error only where the protocol said nothing", () => {
    const stderr = "Retrying in 60s: [API Error: 429 Rate limit reached]\n"
    expect(turnOutcome({ ...ended, stderr })).toMatchObject({ type: "limit", kind: "rate_limited" })
    expect(turnOutcome({ ...ended, stderr, end: { type: "turn_completed" } })).toEqual({ type: "completed" })
    expect(problemInStderr("Ripgrep not available\nReading additional input from stdin...\n")).toBeUndefined()
  })
})

describe("a turn that was stopped", () => {
  it("is no success, whatever the program says while it dies", () => {
    const outcome = turnOutcome({ ...ended, end: { type: "turn_completed" }, stopped: "cancelled" })
    expect(outcome).toMatchObject({ type: "failed", problem: "cancelled" })
  })

  it("is a limit, if the program was asking again in silence because of one", () => {
    const retrying = { kind: "quota_exhausted" as const, message: "Quota exceeded." }
    expect(turnOutcome({ ...ended, retrying, stopped: "timeout" })).toMatchObject({ type: "limit" })
    expect(turnOutcome({ ...ended, stopped: "timeout" })).toMatchObject({ type: "failed", problem: "timeout" })
  })
})
