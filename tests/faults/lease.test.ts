import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { createNewId, sessionKey } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { readLease } from "@switchyard/core/kernel/lease"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { createFileBlobs } from "@switchyard/core/storage/files"
import type { Records } from "@switchyard/core/storage/records"
import { createSealer } from "@switchyard/core/storage/sealing"
import { createSqliteRecords } from "@switchyard/core/storage/sqlite"
import { type Clock, systemClock } from "@switchyard/core/time"
import { executeRun } from "@switchyard/core/work/runs/execute"
import { createReconcile } from "@switchyard/core/work/runs/reconcile"
import type { RunWork } from "@switchyard/core/work/runs/run-context"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import { createRuns } from "@switchyard/core/work/runs/runs"
import { sweep } from "@switchyard/core/work/runs/sweep"
import type { WorkflowInput } from "@switchyard/core/work/workflow/schema"
import { describe, expect, it } from "vitest"
import { readSession } from "./ledger.ts"
import { temporaryFolder } from "./processes.ts"

const { signal } = new AbortController()
const SESSION = "leased"
const sid = sessionKey("local", SESSION)

/** Creates a queued run, and executors for it whose work never ends. */
async function open() {
  const folder = await temporaryFolder()
  const records = createSqliteRecords({ file: join(folder.path, "records.sqlite") })
  const directory = join(folder.path, "blobs")
  const blobs = createFileBlobs({ directory, publicUrl: "", signingKey: new Uint8Array(32) })
  const depsOf = (clock: Clock, writer: string) => ({
    records,
    blobs,
    clock,
    writer,
    log: createLog({ records, blobs, clock }),
    newId: createNewId(),
    fold: sessionFold,
    due: createDueList(records),
    index: createRunIndex(records),
    keys: createRunSecrets(records, createSealer(randomBytes(32)), clock.now),
  })
  const launcher = { start: async () => {} }
  const report = (error: unknown) => {
    throw error
  }
  const base = { ...depsOf(systemClock, "api"), closeLooseEnds: async () => [] }
  const input = { user_prompt: "Make a list.", recursion_limit: 100 }
  const kind = "workflow" as const
  const run = { owner: "local", sid, sessionId: SESSION, model: "scripted/test", kind, input }
  const { runId } = await createRuns({ ...base, launcher, report }).start(run, { signal })

  return {
    records,
    events: async () => (await readSession({ records, blobs }, SESSION)).events,
    lease: () => readLease(records, sid, runId, { now: Number.POSITIVE_INFINITY, signal }),
    sweep: ({ gone, ...options }: { everything: boolean; gone?: string }) => {
      const nothing = async () => {}
      const sweeper = { ...launcher, isGone: (executor: string) => executor === gone }
      return sweep(
        {
          ...base,
          launcher: sweeper,
          sweepSession: nothing,
          sweepWorktree: nothing,
          sweepArchive: nothing,
          sweepMessages: nothing,
          forgetRun: nothing,
          report,
        },
        { signal, ...options },
      )
    },
    /** Executes the run. `working` resolves when the work begins, and `ended` when it ends. */
    execute(
      name: string,
      options: {
        after: number
        clock?: Clock
        on?: typeof records
        signal: AbortSignal
        stallAfterMs?: number
        /** Replaces the default work, which lasts until it is aborted. */
        work?: RunWork<WorkflowInput>
        report?: (error: unknown) => void
      },
    ) {
      const begun = Promise.withResolvers<void>()
      const deps = depsOf(options.clock ?? systemClock, name)
      const work: RunWork<WorkflowInput> = (context) => {
        begun.resolve()
        return options.work?.(context) ?? aborted(context.signal)
      }
      const leases = options.on ?? records
      const log = createLog({ records: leases, blobs, clock: deps.clock })
      const { stallAfterMs, report = () => {} } = options
      const executor = {
        ...deps,
        records: leases,
        log,
        leases,
        reconcile: createReconcile(deps),
        executor: name,
        kind,
        work,
        stallAfterMs,
        verboseErrors: false,
      }
      const launch = { sid, runId, expectedGeneration: options.after }
      const ended = executeRun({ ...executor, report }, launch, { signal: options.signal })
      return { working: begun.promise, ended }
    },
    async [Symbol.asyncDispose]() {
      records.close()
      blobs.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

describe("a lease", () => {
  it("is not renewed by who slept beyond it: it is another's by then", async () => {
    await using run = await open()
    let asleepMs = 0
    let wake = Promise.withResolvers<void>()
    const sleepy: Clock = {
      now: () => Date.now() + asleepMs,
      monotonic: () => performance.now() + asleepMs,
      sleep: (_ms, { signal }) => Promise.race([wake.promise, aborted(signal)]),
    }
    const stopping = new AbortController()
    const first = run.execute("first", { after: 0, clock: sleepy, signal: stopping.signal })
    await first.working
    const second = run.execute("second", { after: 1, signal: stopping.signal })
    await second.working
    expect(await run.lease()).toMatchObject({ generation: 2, executor: "second" })

    asleepMs = 120_000
    const woken = wake
    wake = Promise.withResolvers()
    woken.resolve()
    await first.ended
    expect(await run.lease()).toMatchObject({ generation: 2, executor: "second" })
    stopping.abort()
    await second.ended
  })

  it("is renewed by an executor that was paused beyond it, ten times in a row, as no other has the run", async () => {
    await using run = await open()
    let pausedMs = 0
    const sleepers = new Set<() => void>()
    const paused: Clock = {
      now: () => Date.now() + pausedMs,
      monotonic: () => performance.now() + pausedMs,
      sleep: (_ms, { signal }) => Promise.race([new Promise<void>((wake) => sleepers.add(wake)), aborted(signal)]),
    }
    const stopping = new AbortController()
    const options = { after: 0, clock: paused, stallAfterMs: 300_000, signal: stopping.signal }
    const first = run.execute("first", options)
    await first.working
    for (let times = 0; times < 10; times++) {
      const before = await untilLease(run)
      pausedMs += 600_000
      for (const wake of sleepers) wake()
      await expect.poll(async () => (await run.lease())?.until).toBeGreaterThan(before)
    }
    expect((await run.events()).map(({ type }) => type)).toEqual(["session_opened", "run_created", "run_claimed"])
    expect(await run.lease()).toMatchObject({ generation: 1, executor: "first" })
    stopping.abort()
    await first.ended
  })

  it("is lost in silence: a failure that comes of that is nobody's to mend", async () => {
    await using run = await open()
    const stopping = new AbortController()
    const clock: Clock = { ...systemClock, sleep: (_ms, { signal }) => aborted(signal) }
    const broken = Promise.withResolvers<never>()
    const reported: unknown[] = []
    const report = (error: unknown) => void reported.push(error)
    const options = { after: 0, clock, report, signal: stopping.signal }
    const first = run.execute("first", { ...options, work: () => broken.promise })
    await first.working
    const second = run.execute("second", { after: 1, signal: stopping.signal })
    await second.working
    // The new executor kills programs of the old one, which doesn't know yet that it lost the run: its clock stands
    // still.
    broken.reject(new Error("git was killed by SIGTERM."))
    await first.ended
    expect(reported).toEqual([])
    stopping.abort()
    await second.ended
    expect((await run.events()).map(({ type }) => type)).not.toContain("run_failed")
  })

  it("is presumed lost once in a sweep of everything, however many hints there are", async () => {
    await using run = await open()
    const stopping = new AbortController()
    const first = run.execute("first", { after: 0, signal: stopping.signal })
    await first.working
    await run.sweep({ everything: true, gone: "first" })
    const types = (await run.events()).map(({ type }) => type)
    expect(types).toEqual(["session_opened", "run_created", "run_claimed", "run_relaunched"])
    stopping.abort()
    await first.ended
  })

  it("is not missed by an executor that must stop before it has one: the run waits for another", async () => {
    await using run = await open()
    const stopping = new AbortController()
    const first = run.execute("first", { after: 0, signal: AbortSignal.abort() })
    await expect(first.ended).resolves.toBeUndefined()
    const second = run.execute("second", { after: 0, signal: stopping.signal })
    await second.working
    stopping.abort()
    await second.ended
    expect((await run.events()).map(({ type }) => type)).toContain("run_handed_over")
  })

  it("that isn't written yet is no reason to start a run again that was just claimed", async () => {
    await using run = await open()
    const stopping = new AbortController()
    const slow: typeof run.records = {
      ...run.records,
      put: (key, ...rest) => (key.partition.endsWith("/lease") ? new Promise(() => {}) : run.records.put(key, ...rest)),
    }
    const first = run.execute("first", { after: 0, on: slow, signal: stopping.signal })
    await first.working
    expect(await run.lease()).toBeUndefined()
    await run.sweep({ everything: true })
    expect((await run.events()).map(({ type }) => type)).toEqual(["session_opened", "run_created", "run_claimed"])
  })
})

describe("the lease of an executor that hangs", () => {
  const MINUTE = 60_000
  const never = () => new Promise<never>(() => {})

  /** Executes a run with this work for ten minutes of its own clock. */
  async function tenMinutesOf(
    work: RunWork<WorkflowInput>,
    around: (records: Records) => Records = (records) => records,
  ) {
    const run = await open()
    const clock = createSteppedClock()
    const reported: unknown[] = []
    const stopping = new AbortController()
    const on = { ...run.records, ...around(run.records) }
    const report = (error: unknown) => void reported.push(error)
    const options = { after: 0, clock, on, stallAfterMs: 5 * MINUTE, work, report, signal: stopping.signal }
    const { working, ended } = run.execute("hung", options)
    await working
    await clock.pass(10 * MINUTE)
    const leftMs = ((await run.lease())?.until ?? 0) - clock.now()
    return {
      leftMs,
      reported,
      ended,
      async [Symbol.asyncDispose]() {
        stopping.abort()
        await clock.pass(MINUTE)
        await run[Symbol.asyncDispose]()
      },
    }
  }

  it("is not renewed while what it appends has no answer, and it lets go of the run", async () => {
    let hangs = false
    const work: RunWork<WorkflowInput> = async ({ write }) => {
      hangs = true
      await write([{ type: "agent_notice", text: "Never heard." }])
    }
    await using run = await tenMinutesOf(work, (records) => ({
      ...records,
      put: (key, ...rest) => (hangs && key.partition.endsWith("/log") ? never() : records.put(key, ...rest)),
    }))
    expect(run.leftMs).toBeLessThan(0)
    await run.ended
    expect(String(run.reported)).toContain("is hanging")
  })

  it("is not renewed while its work does nothing at all", async () => {
    await using run = await tenMinutesOf(never)
    expect(run.leftMs).toBeLessThan(0)
    await run.ended
  })

  it("is renewed while the work moves, or waits for what has limits of its own", async () => {
    await using waiting = await tenMinutesOf(({ awaitExternal, signal }) => awaitExternal(() => aborted(signal)))
    expect(waiting.leftMs).toBeGreaterThan(0)
    expect(waiting.reported).toEqual([])
  })
})

/** Resolves to the end of the run's lease in Unix milliseconds, once there is a lease. */
async function untilLease(run: Awaited<ReturnType<typeof open>>): Promise<number> {
  await expect.poll(() => run.lease()).toBeDefined()
  return (await run.lease())?.until ?? 0
}

/** A clock that passes only with `pass`, in steps of a second. Each step wakes sleepers and runs their work. */
function createSteppedClock(): Clock & { pass(ms: number): Promise<void> } {
  const begunAt = Date.now()
  let time = 0
  const sleepers = new Set<{ at: number; wake: () => void }>()
  return {
    now: () => begunAt + time,
    monotonic: () => time,
    sleep: (ms, { signal }) =>
      Promise.race([new Promise<void>((wake) => sleepers.add({ at: time + ms, wake })), aborted(signal)]),
    async pass(ms) {
      for (const end = time + ms; time < end; time += 1000) {
        for (const sleeper of sleepers) {
          if (sleeper.at > time) continue
          sleepers.delete(sleeper)
          sleeper.wake()
        }
        for (let turns = 0; turns < 10; turns++) await setImmediate()
      }
    },
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
}
