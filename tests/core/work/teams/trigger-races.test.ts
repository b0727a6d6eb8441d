import { AppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import type { SessionState } from "@switchyard/core/state"
import { startTeam } from "@switchyard/core/work/teams/team-rules"
import type { TriggerWhen } from "@switchyard/core/work/teams/trigger-schema"
import { cancelTrigger, createTrigger, fireDue } from "@switchyard/core/work/teams/triggers/trigger-rules"
import { expect, it } from "vitest"
import { type Random, seeded } from "../../../faults/random.ts"
import { cases } from "../../../settings.ts"
import { created, opened, stateAfter } from "../../kernel/folded.ts"

const BEGIN = Date.parse("2026-06-01T00:00:00Z")
const SKEW_MS = 45_000
const STEPS = 12
type Fired = Extract<NewEvent, { type: "trigger_fired" }>
type Decide = (state: SessionState) => NewEvent[]

it("fires once for each of its times, and never after a cancel, whatever sweeps race with skewed clocks", () => {
  for (let seed = 1; seed <= cases({ usual: 60, deep: 10_000 }); seed++) {
    const random = seeded(seed)
    const interval = random.between(1, 5) * 60
    const when: TriggerWhen =
      seed % 2 === 0 ? { type: "heartbeat", interval_seconds: interval } : { type: "delayed", delay_seconds: interval }
    const { events, clock, isCancelled } = schedule(random, when)
    const firings = events.filter((event): event is Fired => event.type === "trigger_fired")
    const cancel = events.findIndex(({ type }) => type === "trigger_cancelled")
    const last = events.findLastIndex(({ type }) => type === "trigger_fired")
    if (cancel >= 0) expect(last, `seed ${seed}: fired after the cancel`).toBeLessThan(cancel)
    expect(firings.map(({ firing }) => firing)).toEqual(firings.map((_, index) => index + 1))
    let due = BEGIN + interval * 1000
    for (const { due_at, missed } of firings) {
      expect(Date.parse(String(due_at)), `seed ${seed}: a time came twice, or was lost`).toBe(due)
      due += (1 + missed) * interval * 1000
    }
    if (when.type === "delayed") expect(firings.length, `seed ${seed}`).toBeLessThanOrEqual(1)
    if (when.type === "delayed" && !isCancelled)
      expect(firings.length, `seed ${seed}`).toBe(clock >= BEGIN + interval * 1000 ? 1 : 0)
    if (when.type === "heartbeat" && !isCancelled)
      expect(due, `seed ${seed}: a time was left out`).toBeGreaterThan(clock)
  }
})

/**
 * Runs a random schedule of a trigger: sweeps, and sometimes a cancellation, decide on outdated states. Returns the
 * trigger's events.
 */
function schedule(random: Random, when: TriggerWhen) {
  let state = teamWith(when)
  let [time, clock, version] = [BEGIN, BEGIN, 0]
  const events: NewEvent[] = []
  const waiting: { decide: Decide; seen: number; decided: NewEvent[] }[] = []
  const begin = (decide: Decide) => waiting.push({ decide, seen: version, decided: decide(state) })
  const commit = () => {
    const one = waiting.splice(random.between(0, waiting.length - 1), 1)[0] ?? expect.unreachable()
    // Like the log, rejects an append at an outdated head and asks the rule again.
    const decided = one.seen === version ? one.decided : one.decide(state)
    if (decided.length === 0) return
    state = stateAfter(decided, { state })
    events.push(...decided)
    version += 1
  }
  for (let step = 0; step < STEPS; step++) {
    time += random.between(0, 90_000)
    const now = time + random.between(-SKEW_MS, SKEW_MS)
    clock = Math.max(clock, now)
    for (let sweeps = random.between(1, 3); sweeps > 0; sweeps--) begin((at) => fireDue(teamIn(at), now))
    if (random.between(1, 20) === 1) begin((at) => eventsOf(cancelTrigger(teamIn(at), "trg_1")))
    for (let commits = random.between(0, waiting.length); commits > 0; commits--) commit()
  }
  while (waiting.length > 0) commit()
  return { events, clock, isCancelled: events.some(({ type }) => type === "trigger_cancelled") }
}

function teamWith(when: TriggerWhen): SessionState {
  const run: NewEvent = { ...created("run_1", "coordinator"), kind: "team" }
  const before = stateAfter([opened(), run])
  const begun = stateAfter(eventsOf(startTeam("run_1", { goal: "A goal", max_concurrent: 2 })(before)), {
    state: before,
  })
  const action = { type: "wake_agent", message: "Look." } as const
  const trigger = createTrigger(teamIn(begun), { triggerId: "trg_1", when, action, by: "human" }, BEGIN)
  return stateAfter(eventsOf(trigger), { state: begun })
}

function teamIn({ team }: SessionState) {
  return team ?? expect.unreachable("There is no team.")
}

function eventsOf(said: NewEvent[] | AppError): NewEvent[] {
  return said instanceof AppError ? expect.unreachable(said.message) : said
}
