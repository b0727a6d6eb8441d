import { activeRuns } from "@switchyard/core/work/runs/state"
import { describe, expect, it } from "vitest"
import { createScriptedProvider } from "../../../fixtures/scripted-model.ts"
import { cases } from "../../../settings.ts"
import { openTeamBench } from "./team-bench.ts"
import { answerOf } from "./team-model.ts"

const HOUR_MS = 3_600_000
/** Sweeps per hour. */
const LOOKS = cases({ usual: 4, deep: 60 })

/** Runs a team with these triggers for a day. Its coordinator only waits. */
async function dayOf(schedules: object[]) {
  let now = Date.parse("2026-03-02T00:30:00.000Z")
  const bench = await openTeamBench(undefined, { now: () => now })
  const model = createScriptedProvider(({ messages }) => {
    const calls =
      messages.length === 1
        ? schedules.map((when): [string, Record<string, unknown>] => [
            "schedule",
            { when, action: { type: "wake_agent", message: "Look." } },
          ])
        : []
    return answerOf(calls, messages.length)
  })
  await bench.start("Wait", 4, "infinite")
  await bench.drive(model)
  const begun = { events: (await bench.events()).length, calls: model.requests.length }
  for (let look = 0; look < 24 * LOOKS; look++) {
    now += HOUR_MS / LOOKS
    await bench.wake()
    await bench.drive(model)
  }
  const events = (await bench.events()).slice(begun.events)
  const runs = activeRuns(await bench.state()).map(({ kind, status }) => ({ kind, status }))
  await bench.close()
  const count = (type: string) => events.filter((event) => event.type === type).length
  const claims = count("run_claimed")
  return {
    events: events.length,
    calls: model.requests.length - begun.calls,
    firings: count("trigger_fired"),
    claims,
    runs,
  }
}

const parked = [{ kind: "team", status: "parked" }]

describe("an idle team, in a day,", () => {
  it("is not woken, asks no model and writes nothing where nothing wakes it", async () => {
    expect(await dayOf([])).toEqual({ events: 0, calls: 0, firings: 0, claims: 0, runs: parked })
  })

  it("is woken by a heartbeat each hour and by nothing else, for one call, without a runner", async () => {
    const { events, ...day } = await dayOf([{ type: "heartbeat", interval_seconds: 3600 }])
    expect(day).toEqual({ calls: 24, firings: 24, claims: 24, runs: parked })
    expect(events).toBeLessThan(24 * 12)
  })
})
