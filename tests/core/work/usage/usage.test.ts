import type { NewEvent } from "@switchyard/core/events"
import { createKnownLimits } from "@switchyard/core/people/usage/account-usage"
import { usageCsv } from "@switchyard/core/people/usage/csv"
import { reportUsage } from "@switchyard/core/people/usage/report"
import type { SessionState } from "@switchyard/core/state"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createLedger } from "@switchyard/core/work/usage/ledger"
import { LedgerEntry } from "@switchyard/core/work/usage/schema"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores } from "../../../fixtures/stores.ts"
import { created, deleted, opened, stateAfter } from "../../kernel/folded.ts"
import { noSignal } from "../../log/store.ts"

const DAY_MS = 86_400_000
const NOW = Date.UTC(2025, 10, 20, 12)
const options = { signal: noSignal() }
const sid = "0123456789abcdef"

const run = { run_id: "run_1", agent_id: "main" }
const program = { cli: "claude" as const, account: "mine", model: "claude-sonnet-4-5", reasoning: null }
const task = (): NewEvent => ({
  ...created(),
  kind: "agent",
  model: "claude/claude-sonnet-4-5",
  program,
  repository: "/a",
})
const turn = (): NewEvent => ({ type: "agent_turn_started", ...run, cli: "claude", model: null, pty: "p", attempt: 1 })
const tokens = (input: number | null, output: number | null = 0) => ({
  input,
  cache_read: null,
  cache_write: null,
  output,
})
const used = (input: number | null, basis: "requests" | "turn", cost_usd: number | null = null): NewEvent => ({
  ...{ type: "agent_usage", ...run, cli: "claude", usage: tokens(input), cost_usd, basis },
})
const completed: NewEvent = { type: "run_completed", ...run, duration_ms: 1, workspace_version: 0 }
const asked = (model: string, usage = tokens(1000, 100)): NewEvent => ({ type: "model_usage", ...run, model, usage })

let stores: Awaited<ReturnType<typeof openStores>>
let index: ReturnType<typeof createRunIndex>
let ledger: ReturnType<typeof createLedger>
beforeEach(async () => {
  stores = await openStores()
  index = createRunIndex(stores.records)
  ledger = createLedger({ records: stores.records, index })
  for (const run_id of ["run_1", "run_2"]) {
    await index.add({ run_id, owner: "ada", sid, session_id: "mine", created_at: NOW }, options)
  }
})
afterEach(() => stores.close())

const store = (state: SessionState, runId = "run_1") => ledger.update({ sid, state }, runId, options)
const report = (group_by = "", query = {}) =>
  reportUsage({ ledger, clock: { now: () => NOW } }, "ada", { group_by, ...query }, options)
const inputOf = async () => (await report()).total.tokens.input

describe("the ledger", () => {
  it("counts once what is stored again, late, or by several at once", async () => {
    const early = stateAfter([opened(), task(), turn(), used(10, "requests")], { at: NOW })
    const late = stateAfter([used(5, "requests")], { at: NOW, state: early })
    await Promise.all([store(late), store(early), store(late), store(early)])
    await store(late)
    await store(early)
    expect(await inputOf()).toBe(15)
  })

  it("has each day of a run apart, and keeps them when the session is deleted before they are stored", async () => {
    const first = stateAfter([opened(), task(), turn(), used(10, "requests")], { at: NOW - DAY_MS })
    await store(stateAfter([used(5, "requests"), deleted()], { at: NOW, state: first }))
    const { groups } = await report("day,account,repository")
    const counted = groups.map(({ day, account, repository, tokens: { input } }) => [day, account, repository, input])
    expect(counted).toEqual([
      ["2025-11-19", "mine", "/a", 10],
      ["2025-11-20", "mine", "/a", 5],
    ])
    expect((await report("", { from: "2025-11-20" })).total.tokens.input).toBe(5)
    expect((await report("", { account: "other" })).groups).toEqual([])
  })

  it("is read with its records of before machines were counted, for an owner's budget asks it before each run", async () => {
    await store(stateAfter([opened(), task(), turn(), used(10, "requests")], { at: NOW }))
    for await (const { key, value } of stores.records.range("usage/ada", {})) {
      const { rows, ...about } = LedgerEntry.parse(value)
      const older = rows.map(({ machine: _, ...row }) => row)
      await stores.records.put(key, { value: { ...about, rows: older } }, options)
    }
    expect((await report()).total).toMatchObject({ tokens: { input: 10 }, machine_seconds: 0 })
  })

  it("counts a turn once, however often and by whom it is told", () => {
    const told = fc.array(fc.tuple(fc.nat(50), fc.constantFrom("gateway", "program", "both")), { maxLength: 8 })
    fc.assert(
      fc.property(fc.array(told, { maxLength: 4 }), (turns) => {
        const events: NewEvent[] = []
        let whole = 0
        for (const requests of turns) {
          events.push(turn())
          let soFar = 0
          for (const [input, by] of requests) {
            soFar += input
            // A gateway reports each request. A program also reports the turn's total so far, possibly twice.
            events.push(used(input, "requests"))
            if (by !== "gateway") events.push(used(soFar, "turn"), used(soFar, "turn"))
          }
          whole += soFar
        }
        const { rows } = stateAfter([opened(), task(), ...events], { at: NOW }).usage.runs.run_1 ?? { rows: [] }
        return rows.reduce((sum, row) => sum + (row.tokens.input ?? 0), 0) === whole
      }),
    )
  })

  it("takes the program's word where it comes first, and its newest where it repeats itself", async () => {
    await store(stateAfter([opened(), task(), turn(), used(10, "turn"), used(30, "turn"), used(30, "requests")]))
    expect((await report("", { from: "1970-01-01", to: "1970-01-01" })).total.tokens.input).toBe(30)
  })
})

describe("a report", () => {
  it("prices what has a price, and says where something has none", async () => {
    const events = [asked("anthropic/claude-sonnet-4-5"), asked("groq/free"), asked("groq/free", tokens(null, null))]
    await store(stateAfter([opened(), created(), ...events], { at: NOW }))
    const { groups, total } = await report("provider")
    expect(groups).toMatchObject([
      { provider: "anthropic", cost_is_complete: true, tokens: { input: 1000, cache_read: null } },
      { provider: "groq", cost_usd: null, cost_is_complete: false, reports: 2, unreported: 1 },
    ])
    expect(total.cost_usd).toBeCloseTo(0.0045)
    expect(total.cost_is_complete).toBe(false)
  })

  it("has the fees of searches, of those whose price is known, and goes on with the model that is at work", async () => {
    const searched = (model: string, searches: number, usage = tokens(0, 0)): NewEvent => {
      return { ...asked(model, usage), searches } as NewEvent
    }
    const sonnet = "anthropic/claude-sonnet-4-5"
    const events = [
      searched(sonnet, 3, tokens(1000, 100)),
      searched("brave/web-search", 1),
      searched("brave/web-search", 1),
    ]
    const known = stateAfter([opened(), created(), ...events], { at: NOW })
    expect(known.usage.runs.run_1).toMatchObject({ provider: "anthropic", model: "claude-sonnet-4-5" })
    await store(known)
    const { groups, total, search_fees_as_of } = await report("provider")
    expect(groups).toMatchObject([
      { provider: "anthropic", searches: 3, cost_is_complete: true },
      { provider: "brave", searches: 2, cost_usd: 0.01, cost_is_complete: true },
    ])
    expect(total).toMatchObject({ searches: 5, cost_is_complete: true })
    expect(total.cost_usd).toBeCloseTo(0.0045 + 0.03 + 0.01, 10)
    expect(search_fees_as_of).toMatch(/^\d{4}-\d\d-\d\d$/)
    await store(stateAfter([searched("serper/web-search", 1)], { at: NOW, state: known }))
    const { groups: more, total: all } = await report("provider")
    expect(more.at(-1)).toMatchObject({ provider: "serper", searches: 1, cost_usd: null, cost_is_complete: false })
    expect(all).toMatchObject({ cost_usd: total.cost_usd, cost_is_complete: false })
  })

  it("has the time and the price of machines in AWS, of each that claimed the run, and not of what waits or is dead", async () => {
    const claimed = (executor: string): NewEvent => ({ type: "run_claimed", ...run, generation: 1, executor })
    const at = (minutes: number, events: NewEvent[], state?: SessionState) =>
      stateAfter(events, { at: NOW + minutes * 60_000, state })
    let state = at(0, [opened(), task(), claimed("lambda-1")])
    state = at(1, [{ type: "run_handed_over", ...run, generation: 1 }, claimed("ecs-1")], state)
    state = at(11, [turn(), used(10, "requests")], state)
    state = at(21, [{ type: "run_parked", ...run, generation: 1, reason: "asks" }], state)
    state = at(81, [{ type: "run_resumed", ...run }, claimed("ecs-2")], state)
    state = at(82, [used(5, "requests")], state)
    // The first executor reported nothing more.
    const relaunched: NewEvent = { type: "run_relaunched", ...run, attempt: 2, reason: "dead" }
    state = at(90, [relaunched, claimed("a-laptop")], state)
    await store(at(95, [used(1, "requests"), completed], state))
    const { total, groups, machines } = await report("account")
    const usd = (21 * machines.container_hour_usd + machines.function_hour_usd) / 60
    expect(total.machine_usd).toBeCloseTo(usd, 10)
    expect(groups).toMatchObject([{ account: "mine", tokens: { input: 16 }, machine_seconds: 22 * 60 }])
  })

  it("has a run that used no tokens, but a machine", async () => {
    const claimed: NewEvent = { type: "run_claimed", ...run, generation: 1, executor: "ecs-1" }
    const begun = stateAfter([opened(), task(), claimed], { at: NOW })
    await store(stateAfter([completed], { at: NOW + 60_000, state: begun }))
    expect(await report("run")).toMatchObject({
      groups: [{ run: "run_1", cost_usd: 0, cost_is_complete: true, machine_seconds: 60, reports: 0 }],
    })
  })

  it("is a table in which unknown is empty and no text is a formula", async () => {
    await store(stateAfter([opened(), created(), asked('groq/=cmd,"x"', tokens(null, 3))], { at: NOW }))
    const [head, line] = usageCsv(await report("model"), "model").split("\r\n")
    expect(head).toMatch(/^model,input,/)
    expect(line).toBe(`"'=cmd,""x""",,,,3,0,0,,false,1,1,0,0,0`)
  })
})

describe("the limits of accounts", () => {
  const quota = (used_percent: number, resets_at: string | null, window = "five_hour"): NewEvent => ({
    ...{ type: "agent_quota", ...run, cli: "claude", window, used_percent, resets_at },
  })
  const known = (now: number) => createKnownLimits({ records: stores.records, clock: { now: () => now } })("ada", {})

  it("are known to later tasks until they are reset, and an older report replaces none", async () => {
    const soon = new Date(NOW + 1000).toISOString()
    const before = stateAfter([opened(), task(), quota(40, soon)], { at: NOW - 1000 })
    await store(stateAfter([quota(100, soon)], { at: NOW, state: before }))
    await store(before)
    expect(await known(NOW)).toEqual(new Map([["mine", soon]]))
    expect(await known(NOW + 1000)).toEqual(new Map())
  })

  it("include one that was met without a report of its use", async () => {
    const resets_at = new Date(NOW + 5000).toISOString()
    const outcome = { type: "limit" as const, kind: "quota_exhausted" as const, message: "No more.", resets_at }
    const ended: NewEvent = { type: "agent_turn_finished", ...run, outcome, exit_code: 1, duration_ms: 1 }
    await store(stateAfter([opened(), task(), ended], { at: NOW }))
    expect(await known(NOW)).toEqual(new Map([["mine", resets_at]]))
  })
})
