import type { NewEvent } from "@switchyard/core/events"
import { createNewId } from "@switchyard/core/ids"
import { snapshotKey } from "@switchyard/core/kernel/keys"
import { openSession } from "@switchyard/core/kernel/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { systemClock } from "@switchyard/core/time"
import { findRun, forgottenRuns } from "@switchyard/core/work/runs/ended-runs"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores } from "../../../fixtures/stores.ts"
import { completed, created } from "../../kernel/folded.ts"
import { noSignal, spied } from "../../log/store.ts"

const RUNS = 2000
const sid = "0123456789abcdef"
const options = { signal: noSignal() }

let store: Awaited<ReturnType<typeof openStores>>
beforeEach(async () => {
  store = await openStores()
})
afterEach(() => store.close())

const idOf = (i: number) => `run_${String(i).padStart(6, "0")}`
const runEvents = (i: number): NewEvent[] => [created(idOf(i)), { ...completed(), run_id: idOf(i) } as NewEvent]

function open(records = store.records) {
  const log = createLog({ records, blobs: store.blobs, clock: systemClock })
  return openSessionLog(
    { log, records, clock: systemClock, newId: createNewId(), fold: sessionFold, writer: "test" },
    sid,
    options,
  )
}

/** Opens a session with many ended runs, appended a hundred at a time. */
async function longSession() {
  const session = await open()
  await session.decide(openSession("mine"), options)
  for (let i = 0; i < RUNS; i += 100) {
    await session.decide(() => Array.from({ length: 100 }, (_, n) => runEvents(i + n)).flat(), options)
  }
  return session
}

describe("the runs that a session has forgotten", () => {
  it("leave a small state, which a decision reads at once", async () => {
    await longSession()
    const snapshot = await store.records.get(snapshotKey(sid))
    expect(snapshot?.bytes?.length).toBeLessThan(64 * 1024)
    const { records, calls } = spied(store.records)
    const session = await open(records)
    expect(Object.keys(session.state.runs.byId)).toHaveLength(50)
    expect(session.state.runs.forgotten).toEqual({ runs: RUNS - 50, upTo: idOf(RUNS - 51) })
    await session.decide(() => [created(idOf(RUNS))], options)
    expect(calls).toEqual(["get", "range", "put"])
  })

  it("are found by their ids and in order, and are the same if the whole log is folded anew", async () => {
    await longSession()
    for (const again of [false, true]) {
      if (again) await store.records.remove(snapshotKey(sid))
      const { state } = await open()
      expect(state.runs.forgotten.runs + Object.keys(state.runs.byId).length).toBe(RUNS)
      for (const i of [0, 777, RUNS - 1]) {
        const run = await findRun(store.records, { sid, state }, idOf(i), options)
        expect(run).toMatchObject({ runId: idOf(i), status: "completed", firstSeq: 2 + 2 * i })
      }
      expect(await findRun(store.records, { sid, state }, "run_000777x", options)).toBeUndefined()
      expect(await findRun(store.records, { sid, state }, "run_999999", options)).toBeUndefined()
      const ids = []
      for await (const { runId } of forgottenRuns(store.records, { sid, state }, options)) ids.push(runId)
      expect(ids).toEqual(Array.from({ length: state.runs.forgotten.runs }, (_, i) => idOf(i)).reverse())
    }
  })
})
