import {
  type LimitState,
  limitsOf,
  switchEvent,
  verdictAfterTurn,
  verdictAtStart,
  verdictOnLogin,
  withPast,
  withProgram,
  withUsage,
} from "@switchyard/core/agents/hand-off/limit-state"
import type { HandOffPlan } from "@switchyard/core/agents/hand-off/schema"
import type { LogEvent, NewEvent } from "@switchyard/core/events"
import { describe, expect, it } from "vitest"

const NOW = Date.parse("2026-11-24T12:00:00Z")
const RESET = "2026-11-24T16:00:00.000Z"
const program = (account: string) => ({ account, cli: "mock" as const, model: null, reasoning: null })
const plan: HandOffPlan = {
  rules: [
    { event: "session_usage", threshold: 90, action: "switch_provider" },
    { event: "session_usage", threshold: 50, action: "notify" },
    { event: "context_usage", threshold: 80, action: "await_reset" },
  ],
  order: ["a", "b", "c"],
  programs: ["a", "b", "c"].map(program),
  max_waits: 2,
  quiet_hours: null,
}
const started = limitsOf({ ...program("a"), hand_off: plan })
const quota = (used_percent: number, window = "five_hour"): NewEvent => {
  return { type: "agent_quota", cli: "mock", window, used_percent, resets_at: RESET }
}
const context = (used_tokens: number, window_tokens: number | null): NewEvent => {
  return { type: "agent_context", cli: "mock", used_tokens, window_tokens }
}
const turn = (state: LimitState, ...events: NewEvent[]) =>
  events.reduce<ReturnType<typeof withUsage>>((so, event) => withUsage(so.state, event, NOW), {
    state,
    notice: undefined,
  })

describe("the limits of a run", () => {
  it("warn once when a threshold is crossed, and end the turn at the next rule's", () => {
    expect(turn(started, quota(40)).notice).toBeUndefined()
    const warned = turn(started, quota(40), quota(60))
    expect(warned.notice).toMatchObject({ milestone_type: "usage_threshold", details: { used_percent: 60 } })
    expect(turn(warned.state, quota(70)).notice).toBeUndefined()
    const { reached } = turn(warned.state, quota(95)).state
    expect(reached?.decision).toEqual({ type: "switch", program: program("b") })
    expect(reached?.problem).toMatchObject({ kind: "quota_exhausted", message: "95 % of the five hour limit is used." })
  })

  it("measure a conversation by its last known size", () => {
    expect(turn(started, context(90, null)).state.reached).toBeUndefined()
    const { reached } = turn(started, context(10, 100), context(85, null)).state
    expect(reached?.decision).toMatchObject({ type: "park" })
    expect(reached?.problem.kind).toBe("context_full")
  })

  it("follow the rule that ended the turn, whatever the program says of its end", () => {
    const { state } = turn(started, quota(95))
    const outcome = { type: "failed", problem: "cancelled", message: "Stopped." } as const
    expect(verdictAfterTurn(state, outcome, NOW)?.decision).toMatchObject({ type: "switch" })
    expect(verdictAfterTurn(started, outcome, NOW)).toMatchObject({ decision: { type: "fail" }, notice: undefined })
    expect(verdictAfterTurn(started, { type: "completed" }, NOW)).toBeUndefined()
  })

  it("start again at nothing with the next program", () => {
    const { state } = turn(started, context(70, 100), quota(95))
    const next = withProgram(state, program("b"), { kind: "quota_exhausted", message: "", resets_at: RESET })
    expect(next.reached).toBeUndefined()
    expect(verdictAfterTurn(next, { type: "completed" }, NOW)).toBeUndefined()
    expect(turn(next, context(70, null)).state.used.size).toBe(0)
    expect(turn(next, quota(95)).state.reached?.decision).toEqual({ type: "switch", program: program("c") })
  })

  it("try an account whose limit was used up when the task began, if there is no other", () => {
    const usedUp = (order: string[]): LimitState => {
      const programs = order.map((name) => ({ ...program(name), ...(name === "a" && { limited_until: RESET }) }))
      return limitsOf({ ...program("a"), hand_off: { ...plan, order, programs } })
    }
    expect(verdictAtStart(usedUp(["a", "b"]), NOW)?.decision).toEqual({ type: "switch", program: program("b") })
    expect(verdictAtStart(usedUp(["a"]), NOW)).toBeUndefined()
    expect(verdictAtStart(usedUp(["a", "b"]), Date.parse(RESET))).toBeUndefined()
  })

  it("wait twice as long for a login each time, up to ten minutes", () => {
    const waits = [0, 1, 5, 6, 40].map((loginWaits) => {
      const { until } = verdictOnLogin({ ...started, plan: { ...plan, rules: [] }, loginWaits }, NOW)
      return (Date.parse(until) - NOW) / 1000
    })
    expect(waits).toEqual([15, 30, 480, 600, 600])
  })

  it("count returns to an account that met a limit, also after they were read from the log", () => {
    const order = ["a", "b", "a"]
    const back = { ...plan, order, programs: order.map(program), max_waits: 2 }
    const rules = back.programs.slice(0, 2).map(({ account }) => {
      return {
        event: "session_usage" as const,
        threshold: 90,
        action: "switch_provider" as const,
        target_account: account,
      }
    })
    const past = "2026-11-24T11:00:00.000Z"
    const outcome = { type: "limit", kind: "quota_exhausted", message: "Full.", resets_at: past } as const
    let live = limitsOf({ ...program("a"), hand_off: { ...back, rules } })
    let read = live
    const accounts: (string | null)[] = []
    for (let tries = 0; tries < 9; tries++) {
      const { decision, problem } = verdictAfterTurn(live, outcome, NOW) ?? {}
      if (decision?.type !== "switch" || !problem) break
      accounts.push(decision.program.account)
      read = withPast(read, switchEvent(live.program, decision.program, problem) as unknown as LogEvent)
      live = withProgram(live, decision.program, problem)
      expect(read).toEqual(live)
    }
    expect(accounts).toEqual(["b", "a", "b"])
  })

  it("aren't changed by a person's choice of another account", () => {
    const chosen = switchEvent(program("b"), program("a"), "A person chose it.")
    expect(withPast(started, chosen as unknown as LogEvent)).toEqual(started)
  })
})
