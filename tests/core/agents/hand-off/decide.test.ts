import { decideHandOff, type HandOffCase, type LimitEvidence } from "@switchyard/core/agents/hand-off/decide"
import type { HandOffPlan, LimitRule } from "@switchyard/core/agents/hand-off/schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const NOW = Date.parse("2026-11-24T12:00:00Z")
const RESET = "2026-11-24T16:00:00.000Z"
const program = (account: string) => ({ account, cli: "mock" as const, model: null, reasoning: null })
const plan = (rules: LimitRule[], more: Partial<HandOffPlan> = {}): HandOffPlan => {
  const order = ["a", "b", "c"]
  return { rules, order, programs: order.map(program), max_waits: 2, quiet_hours: null, ...more }
}
const switching: LimitRule = { event: "session_usage", threshold: 90, action: "switch_provider" }
const waiting: LimitRule = { event: "session_usage", threshold: 90, action: "await_reset" }
const notifying: LimitRule = { event: "session_usage", threshold: 90, action: "notify" }
const refused: LimitEvidence = { type: "refused", kind: "quota_exhausted", window: null, resetsAt: RESET }
const used = (before: number, usedPercent: number): LimitEvidence => {
  return { type: "usage", event: "session_usage", usedPercent, before, resetsAt: RESET }
}
const decide = (rules: LimitRule[], more: Partial<HandOffCase> = {}) =>
  decideHandOff({
    plan: plan(rules),
    current: "a",
    limited: {},
    returns: 0,
    waits: 0,
    evidence: refused,
    now: NOW,
    ...more,
  })

describe("a limit that is met", () => {
  it("goes to the next account of the order that has none, and never back to the beginning", () => {
    expect(decide([switching])).toEqual({ type: "switch", program: program("b") })
    expect(decide([switching], { limited: { B: RESET } })).toEqual({ type: "switch", program: program("c") })
    expect(decide([switching], { limited: { b: null } })).toEqual({ type: "switch", program: program("c") })
    expect(decide([switching], { limited: { b: "2026-11-24T11:00:00.000Z" } })).toMatchObject({ program: program("b") })
    expect(decide([switching], { current: "c" })).toEqual({ type: "fail" })
    expect(decide([switching], { current: "elsewhere" })).toMatchObject({ program: program("a") })
    expect(decide([switching], { current: null })).toMatchObject({ program: program("a") })
  })

  it("ends two accounts' handing a task to and fro, whenever their limits are over", () => {
    const to = (account: string): LimitRule => ({ ...switching, target_account: account })
    const over = "2026-11-24T11:00:00.000Z"
    const asked = { limited: { A: over, b: over }, plan: plan([to("a")], { max_waits: 2 }), current: "b" }
    expect(decide([], { ...asked, returns: 1 })).toMatchObject({ type: "switch", program: program("a") })
    expect(decide([], { ...asked, returns: 2 })).toEqual({ type: "fail" })
    expect(decide([], { ...asked, plan: plan([to("c")]), returns: 2 })).toMatchObject({ program: program("c") })
  })

  it("leaves out an account whose limit was known when the task was given", () => {
    const programs = [{ ...program("b"), limited_until: RESET }, program("c")]
    expect(decide([switching], { plan: plan([switching], { programs }) })).toMatchObject({ program: program("c") })
  })

  it("is followed by faults of the network and the model, which pass with time or another account", () => {
    for (const kind of ["network", "timeout", "overloaded"] as const) {
      const evidence: LimitEvidence = { type: "refused", kind, window: null, resetsAt: null }
      expect(decide([switching], { evidence })).toEqual({ type: "switch", program: program("b") })
      expect(decide([waiting], { evidence })).toMatchObject({ type: "park" })
      expect(decide([notifying], { evidence })).toEqual({ type: "fail" })
    }
    const evidence: LimitEvidence = { type: "refused", kind: "unknown", window: null, resetsAt: null }
    expect(decide([switching], { evidence })).toEqual({ type: "fail" })
  })

  it("goes to the account that the rule names", () => {
    expect(decide([{ ...switching, target_account: "c" }])).toMatchObject({ program: program("c") })
    expect(decide([{ ...switching, target_account: "a" }])).toEqual({ type: "fail" })
  })

  it("waits until it is reset, and not more often than allowed", () => {
    expect(decide([waiting])).toEqual({ type: "park", until: "2026-11-24T16:00:01.000Z" })
    expect(decide([waiting], { waits: 2 })).toEqual({ type: "fail" })
    const unknown: LimitEvidence = { ...refused, resetsAt: null }
    expect(decide([waiting], { evidence: unknown })).toMatchObject({ until: "2026-11-24T12:15:01.000Z" })
    expect(decide([waiting], { evidence: unknown, waits: 1 })).toMatchObject({ until: "2026-11-24T12:30:02.000Z" })
  })

  it("asks the next rule where one can't be followed", () => {
    expect(decide([switching, waiting], { limited: { b: null, c: null } })).toMatchObject({ type: "park" })
    expect(decide([notifying, switching])).toMatchObject({ type: "switch" })
    expect(decide([notifying])).toEqual({ type: "fail" })
  })

  it("asks the rules of its own window first", () => {
    const weekly: LimitRule = { ...waiting, event: "weekly_usage" }
    const evidence: LimitEvidence = { ...refused, window: "seven_day" }
    expect(decide([switching, weekly], { evidence })).toMatchObject({ type: "park" })
    expect(decide([switching, weekly])).toMatchObject({ type: "switch" })
  })

  it("isn't waited for where no time ends it, and means nothing where another account helps nobody", () => {
    for (const kind of ["billing", "auth"] as const) {
      expect(decide([waiting, switching], { evidence: { ...refused, kind } })).toMatchObject({ type: "switch" })
      expect(decide([waiting], { evidence: { ...refused, kind } })).toEqual({ type: "fail" })
    }
    for (const kind of ["unknown", "cancelled", "interrupted"] as const) {
      expect(decide([waiting, switching], { evidence: { ...refused, kind } })).toEqual({ type: "fail" })
    }
  })

  it("lets nothing go on by itself in quiet hours", () => {
    const quiet_hours = { from: "22:00", to: "07:30", time_zone: "Europe/Berlin" }
    const at = (resetsAt: string) =>
      decide([waiting], { plan: plan([waiting], { quiet_hours }), evidence: { ...refused, resetsAt } })
    expect(at("2026-11-24T20:59:00.000Z")).toMatchObject({ until: "2026-11-24T20:59:01.000Z" })
    expect(at("2026-11-24T21:30:00.000Z")).toMatchObject({ until: "2026-11-25T06:30:00.000Z" })
    expect(at("2026-11-25T03:00:00.000Z")).toMatchObject({ until: "2026-11-25T06:30:00.000Z" })
    // The clocks are set back in this night.
    expect(at("2027-10-30T23:30:00.000Z")).toMatchObject({ until: "2027-10-31T06:30:00.000Z" })
  })
})

describe("a limit that is nearly used up", () => {
  it("matters when it passes the threshold upwards, the first reading included, and once", () => {
    expect(decide([switching], { evidence: used(0, 95) })).toMatchObject({ type: "switch" })
    expect(decide([switching], { evidence: used(89, 90) })).toMatchObject({ type: "switch" })
    expect(decide([switching], { evidence: used(90, 95) })).toEqual({ type: "continue", notify: null })
    expect(decide([switching], { evidence: used(95, 10) })).toEqual({ type: "continue", notify: null })
    expect(decide([notifying], { evidence: used(80, 91) })).toEqual({ type: "continue", notify: notifying })
    expect(decide([{ ...switching, threshold: 100 }], { evidence: used(0, 99) })).toEqual({
      type: "continue",
      notify: null,
    })
  })

  it("lets the task go on where nobody else could", () => {
    expect(decide([switching], { current: "c", evidence: used(0, 95) })).toMatchObject({ type: "continue" })
  })
})

it("never goes on with the account that met the limit, or with another that is used up, and never waits for the past", () => {
  const name = fc.constantFrom("a", "b", "c", "d")
  const rule = fc.record({
    event: fc.constantFrom("session_usage" as const, "weekly_usage" as const),
    threshold: fc.integer({ min: 0, max: 100 }),
    action: fc.constantFrom("notify" as const, "switch_provider" as const, "await_reset" as const),
    target_account: fc.option(name, { nil: undefined }),
  })
  const asked = fc.record({
    rules: fc.array(rule, { maxLength: 4 }),
    current: fc.option(name),
    limited: fc.dictionary(name, fc.option(fc.constantFrom(RESET, "2026-11-24T11:00:00.000Z"))),
    waits: fc.nat(3),
    resetsAt: fc.option(fc.constantFrom(RESET, "2026-11-24T11:00:00.000Z")),
  })
  fc.assert(
    fc.property(asked, ({ rules, resetsAt, ...more }) => {
      const decision = decide(rules, { ...more, plan: plan(rules), evidence: { ...refused, resetsAt } })
      if (decision.type === "switch") {
        const until = more.limited[decision.program.account]
        expect(decision.program.account).not.toBe(more.current)
        expect(until === null || (until !== undefined && Date.parse(until) > NOW)).toBe(false)
      }
      if (decision.type === "park") {
        expect(Date.parse(decision.until)).toBeGreaterThan(NOW)
        expect(more.waits).toBeLessThan(2)
      }
    }),
    { numRuns: 500 },
  )
})
