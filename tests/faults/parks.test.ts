import type { LogEvent } from "@switchyard/core/events"
import { sessionKey } from "@switchyard/core/ids"
import { logName } from "@switchyard/core/kernel/keys"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import { executeRun } from "@switchyard/core/work/runs/execute"
import type { Launch } from "@switchyard/core/work/runs/launcher"
import { RunParked } from "@switchyard/core/work/runs/run-context"
import { sweep } from "@switchyard/core/work/runs/sweep"
import { compose } from "@switchyard/functions/compose"
import { loadConfig } from "@switchyard/functions/config"
import { expect, it } from "vitest"
import { openStores, type Stores } from "../fixtures/stores.ts"
import { cases, never as signal } from "../settings.ts"
import { type Random, seeded, turns } from "./random.ts"

const PARKS = cases({ usual: 20, deep: 10_000 })
/** Number of parks that share a store, and so the sweeps. */
const TOGETHER = 20
const HOUR_MS = 3_600_000
const MOST_SKEW_MS = 15_000

/** Wraps stores to let other tasks run for a random number of turns before each request. */
function dawdling({ records, blobs }: Stores, random: Random): Pick<Stores, "records" | "blobs"> {
  const wait = () => turns(random.between(0, 3))
  const get: typeof records.get = async (...given) => {
    await wait()
    return records.get(...given)
  }
  const put: typeof records.put = async (...given) => {
    await wait()
    return records.put(...given)
  }
  return { records: { ...records, get, put }, blobs }
}

/** Opens embedded stores, with processes whose runs park until the hour is over. */
async function openScene(random: Random) {
  const stores = await openStores()
  const begin = Date.now()
  let passedMs = 0
  const sealer = createSealer(new Uint8Array(32))
  const launches: Launch[] = []
  let processes = 0

  /** A process whose clock is off by this many milliseconds. */
  function process(skewMs: number) {
    const core = compose(loadConfig({}), {
      ...dawdling(stores, random),
      clock: { ...systemClock, now: () => begin + passedMs + skewMs },
      ...{ sealer, sealerOf: () => sealer, writer: `process-${++processes}` },
      launcher: { start: async (launch) => void launches.push(launch) },
      report: (error) => expect.unreachable(String((error as Error).stack)),
    })
    const until = new Date(begin + HOUR_MS).toISOString()
    /** Executes the run, which parks at its first claim and completes at its next. */
    const execute = (launch: Launch) =>
      executeRun(
        {
          ...core.executor,
          executor: `process-${processes}`,
          kind: "workflow",
          work: async ({ history }) => {
            const before = await Array.fromAsync(history())
            if (before.some(({ type }) => type === "run_parked")) return
            throw new RunParked("Its quota is used up.", { until })
          },
        },
        launch,
        { signal },
      )
    return { ...core, execute }
  }

  const skewed = () => process(random.between(-MOST_SKEW_MS, MOST_SKEW_MS))
  /** Delivers all launches late, in random order, and often more than once. */
  async function deliver(by = skewed()): Promise<void> {
    const taken = launches.splice(0)
    const often = taken.flatMap((launch) => Array.from({ length: random.between(1, 3) }, () => launch))
    await Promise.all(often.map((launch) => turns(random.between(0, 30)).then(() => by.execute(launch))))
  }

  return {
    process,
    skewed,
    deliver,
    isQuiet: () => launches.length === 0,
    pass(ms: number) {
      passedMs += ms
    },
    async eventsOf(sid: string): Promise<LogEvent[]> {
      return (await Array.fromAsync(process(0).log.read(logName(sid), 0, { signal }))) as LogEvent[]
    },
    close: () => stores.close(),
  }
}

/** Randomly cancels the run and resumes it, possibly several times. Resolves to true if a cancellation was in time. */
async function disturb({ skewed }: Awaited<ReturnType<typeof openScene>>, random: Random, runId: string) {
  const resume = async () => {
    await turns(random.between(0, 60))
    // The run may have ended in the meantime.
    await skewed()
      .runs.resume("ada", runId, { signal })
      .catch(({ code }) => expect(code).toBe("run_ended"))
  }
  const cancel = async () => {
    await turns(random.between(0, 60))
    return (await skewed().runs.cancel("ada", runId, "Enough.", { signal })).status !== "completed"
  }
  const cancelling = random.next() < 0.35 ? cancel() : false
  await Promise.all(Array.from({ length: Math.max(0, random.between(-2, 3)) }, resume))
  return cancelling
}

/** Plays this many parks on one store. Resolves to the number of cancelled runs. */
async function play(seed: number, count: number): Promise<number> {
  const random = seeded(seed)
  const scene = await openScene(random)
  const { runs } = scene.process(0)
  const sids: string[] = []
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const sessionId = `session-${index}`
    sids.push(sessionKey("ada", sessionId))
    const input = { user_prompt: "A page", prompt_overrides: {}, recursion_limit: 10 }
    const about = { owner: "ada", sid: sids[index] ?? "", sessionId, model: "scripted/demo" }
    ids.push((await runs.start({ ...about, kind: "workflow", input }, { signal })).runId)
  }
  await scene.deliver(scene.process(0))
  // A person resumes or cancels some runs before the hour is over, and others as it ends, while several processes sweep
  // all of them.
  const impatient = ids.filter(() => random.next() < 0.15)
  const unwanted = new Set<string>()
  const disturbed = async (runId: string) => {
    if (await disturb(scene, random, runId)) unwanted.add(runId)
  }
  await Promise.all(impatient.map(disturbed))
  await scene.deliver()
  scene.pass(HOUR_MS)
  const sweeping = () => turns(random.between(0, 40)).then(() => sweep(scene.skewed().sweep, { signal }))
  await Promise.all([
    ...Array.from({ length: 4 }, sweeping),
    ...ids.map(disturbed),
    ...Array.from({ length: 3 }, () => turns(random.between(0, 200)).then(() => scene.deliver())),
  ])
  // A few minutes later all runs must be settled, whatever happened before.
  for (let minute = 0; minute < 4; minute++) {
    scene.pass(60_000)
    await sweep(scene.process(0).sweep, { signal })
    await scene.deliver(scene.process(0))
  }
  expect(scene.isQuiet()).toBe(true)

  for (const [index, sid] of sids.entries()) {
    const where = `seed ${seed}, session ${index}`
    const types = (await scene.eventsOf(sid)).map(({ type }) => type)
    const countOf = (type: string) => types.filter((one) => one === type).length
    const ends = types.filter((type) => /^run_(completed|failed|cancelled)$/.test(type))
    expect([countOf("run_parked"), ends.length], where).toEqual([1, 1])
    const asked = types.indexOf("run_cancel_requested")
    if (unwanted.has(ids[index] ?? "")) {
      const later = types.slice(asked).filter((type) => type === "run_resumed" || type === "run_claimed")
      expect([asked !== -1, ends, later], where).toEqual([true, ["run_cancelled"], []])
    } else {
      expect([ends, countOf("run_resumed"), countOf("run_claimed")], where).toEqual([["run_completed"], 1, 2])
    }
    expect(countOf("run_resumed"), where).toBeLessThanOrEqual(1)
    expect(countOf("run_claimed"), where).toBeLessThanOrEqual(2)
  }
  await scene.close()
  return unwanted.size
}

it(`goes on once after each of ${PARKS} parks, whoever wakes it, how often and by which clock, and never once it was cancelled`, async () => {
  let cancelled = 0
  for (let seed = 1; seed * TOGETHER <= PARKS; seed++) cancelled += await play(seed, TOGETHER)
  // Both outcomes must be common, or the test shows nothing.
  expect(cancelled).toBeGreaterThan(PARKS / 10)
  expect(cancelled).toBeLessThan(PARKS / 2)
})
