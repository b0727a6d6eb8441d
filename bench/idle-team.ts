import { openTeamBench } from "../tests/core/work/teams/team-bench.ts"
import { answerOf } from "../tests/core/work/teams/team-model.ts"
import { createScriptedProvider } from "../tests/fixtures/scripted-model.ts"
import { openStores } from "../tests/fixtures/stores.ts"
import { workerHour } from "../tests/infra/cost.ts"
import { missing, synthesise } from "../tests/infra/synth/synth.ts"
import { PRICES } from "../tools/cloud/prices.ts"
import { createCallCounter } from "./counted.ts"
import type { Line, NotMeasured, Question } from "./measure.ts"

const HOUR_MS = 3_600_000
const HOURS = 24
/** Time of the worker for one wake, including its cold start but not its model. */
const WAKE_SECONDS = 5

export const idleTeam: Question = {
  asks: "What does a day of a team cost that is woken each hour and finds nothing to do, deployed and without the model?",
  async answer() {
    const { firings, calls, runners, reads, writeUnits } = await dayOfHeartbeats()
    const counted: Line[] = [
      { what: "firings of its trigger", value: firings, unit: "times", target: atMost(HOURS) },
      { what: "calls of its model", value: calls, unit: "times", target: atMost(HOURS) },
      { what: "runs for which a container starts", value: runners, unit: "times", target: atMost(0) },
      { what: "requests to the table", value: reads, unit: "times" },
      { what: "write units", value: writeUnits, unit: "units" },
    ]
    return [...counted, await billed(firings, { reads, writeUnits })]
  },
}

const atMost = (atMost: number) => ({ of: "value", atMost }) as const

/** Plays a day of a team whose coordinator only waits. */
async function dayOfHeartbeats() {
  let now = Date.parse("2026-03-02T00:30:00.000Z")
  const counter = createCallCounter()
  const stores = await openStores()
  const bench = await openTeamBench({ ...stores, records: counter.around(stores.records) }, { now: () => now })
  const heartbeat = {
    when: { type: "heartbeat", interval_seconds: HOUR_MS / 1000 },
    action: { type: "wake_agent", message: "Look." },
  }
  const model = createScriptedProvider(({ messages: { length } }) =>
    answerOf(length === 1 ? [["schedule", heartbeat]] : [], length),
  )
  await bench.start("Wait", 1, "infinite")
  await bench.drive(model)
  const before = model.requests.length
  counter.take()
  for (let hour = 0; hour < HOURS; hour++) {
    now += HOUR_MS
    await bench.wake()
    await bench.drive(model)
  }
  const counts = counter.take()
  const firings = (await bench.eventsOf("trigger_fired")).length
  const runs = (await bench.eventsOf("run_created")).filter(({ kind }) => kind !== "team" && kind !== "work_node")
  await bench.close()
  return { ...counts, firings, calls: model.requests.length - before, runners: runs.length }
}

async function billed(
  wakes: number,
  { reads, writeUnits }: { reads: number; writeUnits: number },
): Promise<Line | NotMeasured> {
  const what = "all of it together"
  if (missing) return { what, reason: missing }
  const time = (wakes * WAKE_SECONDS * workerHour(await synthesise("prod", { bundle: false }))) / 3600
  const dollars = time + wakes * PRICES.lambdaRequest + reads * PRICES.recordRead + writeUnits * PRICES.recordWrite
  return { what, value: dollars, unit: "dollars", target: atMost(0.01) }
}
