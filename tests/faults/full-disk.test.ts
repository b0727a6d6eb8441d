import { systemClock } from "@switchyard/core/time"
import { describe, expect, it } from "vitest"
import { cases } from "../settings.ts"
import { follow, streams } from "./event-stream.ts"
import { type Failing, failingStores } from "./failing-stores.ts"
import { postRun } from "./http.ts"
import { serveHere } from "./in-process.ts"
import { endsOf, eventFrames, expectSound, projectedFrames, readLedger, stepsOf } from "./ledger.ts"
import { seeded } from "./random.ts"
import { SMALL, SMALL_MODEL, SMALL_WHOLE, smallModel } from "./small-project.ts"

const OUTAGES = cases({ usual: 9, deep: 60 })
const AT_ONCE = 6
const CALLS = 130
const SESSION = "full"

/** Shortens the product's long waits, because an outage here lasts for a number of calls, not for a time. */
const clock: typeof systemClock = {
  ...systemClock,
  sleep: (ms, options) => systemClock.sleep(Math.min(ms, 10), options),
}

describe("a store that is full or out of reach for a while in the middle of a run", () => {
  it("costs the run at most its success: what is committed is whole, and its readers hear the log", async () => {
    const outcomes: Record<string, number> = { run_completed: 0, run_failed: 0 }
    for (let from = 0; from < OUTAGES; from += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, (_, index) => outage(from + index))
      for (const outcome of await Promise.all(some)) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    }
    expect(Object.keys(outcomes)).toEqual(["run_completed", "run_failed"])
    expect(outcomes.run_completed).toBeGreaterThan(0)
  })

  async function outage(seed: number): Promise<string> {
    const random = seeded(seed)
    const begin = random.between(1, CALLS)
    const length = random.pick([1, 1, 2, 5, 20, 60])
    const where = `seed ${seed}: ${length} calls from call ${begin}`
    let calls = 0
    const over = Promise.withResolvers<void>()
    const failing = async (): Promise<Failing> => {
      calls++
      if (calls === begin + length) over.resolve()
      return calls >= begin && calls < begin + length ? random.pick(["before", "after"]) : undefined
    }

    const first = await serveHere({
      scripted: smallModel(),
      clock,
      wrapStores: (stores) => failingStores(stores, failing),
    })
    let url = first.server.url
    let answer = await postRun(url, { session: SESSION, key: "key", model: SMALL_MODEL })
    while (answer.status === 503) answer = await postRun(url, { session: SESSION, key: "key", model: SMALL_MODEL })
    expect(answer.status, where).toBe(201)
    const runId = answer.body.run_id
    const told = (["stream", "events"] as const).map((kind) =>
      follow({ url: async () => url, path: streams[kind].path(runId), isLast: streams[kind].isLast }),
    )
    // If the outage left the run without an executor, the next server takes over the run.
    await Promise.race([over.promise, ...told])
    await using second = await serveHere({ folder: first.folder, scripted: smallModel(), clock })
    url = second.server.url
    await first.server.stop()
    const [projected, logged] = await Promise.all(told)

    const ledger = await readLedger(first.folder, SESSION)
    await first[Symbol.asyncDispose]()
    expectSound(ledger, where)
    const steps = stepsOf(ledger.events).length
    expect(ledger.files, where).toEqual(Object.fromEntries(Object.entries(SMALL_WHOLE).slice(0, steps)))
    const [end] = endsOf(ledger.events, runId)
    if (end?.type === "run_completed") expect(steps, where).toBe(SMALL.length)
    expect(projected?.frames, where).toEqual(projectedFrames(ledger.events, runId, SESSION))
    expect(logged?.frames, where).toEqual(eventFrames(ledger.events, runId, SESSION))
    return end?.type ?? "none"
  }
})
