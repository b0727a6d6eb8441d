import type { Outcome } from "@switchyard/core/agents/clis/schema"
import { createModelRetries } from "@switchyard/runner/agents/model-retries"
import { describe, expect, it } from "vitest"

const NOW = Date.parse("2026-11-24T12:00:00Z")
const network: Outcome = { type: "failed", problem: "network", message: "terminated" }
const silent: Outcome = { type: "failed", problem: "timeout", message: "The agent was silent for too long." }

/**
 * Plays turns with these outcomes and durations. Returns the delay in milliseconds before each next turn, or undefined
 * if there is none.
 */
function play(turns: { outcome: Outcome; tookMs?: number; failingForMs?: number; hasWorked?: boolean }[]) {
  let time = 0
  const clock = { now: () => NOW + time, monotonic: () => time }
  const retries = createModelRetries(clock, 120_000)
  return turns.map(({ outcome, tookMs = 0, failingForMs, hasWorked = false }) => {
    time += tookMs
    const failingSince = failingForMs === undefined ? null : time - failingForMs
    const retry = retries.after({ outcome, failingSince, hasWorked })
    time += retry?.delayMs ?? 0
    return retry?.delayMs
  })
}

describe("a model that fails", () => {
  it("is asked again after growing delays, until it has failed for two minutes", () => {
    const delays = play(Array.from({ length: 9 }, () => ({ outcome: network })))
    expect(delays).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000, undefined, undefined, undefined])
  })

  it("isn't asked again if its program already did so for two minutes", () => {
    expect(play([{ outcome: network, tookMs: 125_000, failingForMs: 120_000 }])).toEqual([undefined])
    expect(play([{ outcome: network, tookMs: 27_000, failingForMs: 27_000 }])).toEqual([2000])
  })

  it("is asked once again after a long silence", () => {
    expect(play([{ outcome: silent }, { outcome: silent, tookMs: 900_000 }])).toEqual([2000, undefined])
  })

  it("has its full time again once the agent has worked", () => {
    const broken = { outcome: network, tookMs: 1_800_000 }
    expect(play([broken, { ...broken, hasWorked: true }, broken])).toEqual([2000, 2000, undefined])
  })

  it("isn't asked again without end if it fails after each step", () => {
    const delays = play(Array.from({ length: 14 }, () => ({ outcome: network, hasWorked: true })))
    expect(delays).toEqual([...Array(12).fill(2000), undefined, undefined])
  })

  it("is asked when its limit is over, if that is soon", () => {
    const limited = (resets_at: string): Outcome => ({
      type: "limit",
      kind: "rate_limited",
      message: "Slow.",
      resets_at,
    })
    expect(play([{ outcome: limited("2026-11-24T12:00:30.000Z") }])).toEqual([30_000])
    expect(play([{ outcome: limited("2026-11-24T13:00:00.000Z") }])).toEqual([undefined])
  })
})

it("leaves all other outcomes as they are", () => {
  const outcomes: Outcome[] = [
    ...[{ type: "completed" } as const, { type: "needs_continuation" } as const],
    ...[{ type: "auth", message: "No." } as const, { type: "failed", problem: "unknown", message: "?" } as const],
    { type: "limit", kind: "quota_exhausted", message: "Full." },
  ]
  expect(play(outcomes.map((outcome) => ({ outcome })))).toEqual(outcomes.map(() => undefined))
})
