import { isAppError } from "@switchyard/core/errors"
import { batchSort, decodeBatch } from "@switchyard/core/log/batch"
import type { BaseEvent, LogName, Stored } from "@switchyard/core/log/event"
import type { Log } from "@switchyard/core/log/log"
import type { SessionState } from "@switchyard/core/state"
import type { RecordBody, RecordKey, Records } from "@switchyard/core/storage/records"
import { appendAsExecutor, endRun } from "@switchyard/core/work/runs/rules"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { scenarios, simulate } from "./simulate.ts"
import type { Variant } from "./world.ts"

/** Returns the first broken promise that the simulation notices. */
async function brokenPromise(variant: Variant): Promise<string | undefined> {
  for (const scenario of fc.sample(scenarios({ faultsPercent: 12 }), { numRuns: 1000, seed: 1 })) {
    const outcome = await simulate(scenario, variant).catch(unlessDamaged)
    const first = outcome?.violations[0]
    if (first) return first.slice(0, first.indexOf(":"))
  }
  return undefined
}

/**
 * Ignores the error of a reader that meets a damaged log, because nothing can be judged then. Another scenario shows
 * the cause.
 */
function unlessDamaged(error: unknown): undefined {
  if (!isAppError(error, "internal_error")) throw error
}

const inLog = (key: RecordKey) => key.partition.endsWith("/log")

function withBatchId(body: RecordBody, batchId: string): RecordBody {
  return { ...body, value: { ...body.value, batch_id: batchId } }
}

it("notices a log that takes a lost reply for a lost race", async () => {
  const records = (real: Records): Records => ({
    ...real,
    async get(key, options) {
      const record = await real.get(key, options)
      return record && inLog(key) ? { ...record, ...withBatchId(record, "bat_of-another") } : record
    },
  })
  expect(await brokenPromise({ records })).toBe("told the truth")
})

it("notices a log that takes any batch at its place for its own", async () => {
  const records = (real: Records): Records => {
    let tried = ""
    return {
      ...real,
      put(key, body, options) {
        if (inLog(key)) tried = String(body.value.batch_id)
        return real.put(key, body, options)
      },
      async get(key, options) {
        const record = await real.get(key, options)
        return record && inLog(key) ? { ...record, ...withBatchId(record, tried) } : record
      },
    }
  }
  expect(await brokenPromise({ records })).toBe("told the truth")
})

it("notices a log that gives a batch a new name with each try", async () => {
  const records = (real: Records): Records => {
    let tries = 0
    return {
      ...real,
      put: (key, body, options) =>
        real.put(key, inLog(key) ? withBatchId(body, `${body.value.batch_id}-${tries++}`) : body, options),
    }
  }
  expect(await brokenPromise({ records })).toBe("told the truth")
})

it("notices a store that overwrites", async () => {
  const records = (real: Records): Records => ({
    ...real,
    put: (key, body, { ifAbsent, ...options } = {}) => real.put(key, body, options),
  })
  expect(await brokenPromise({ records })).toBeDefined()
})

it("notices an executor that nobody stops once another has its run", async () => {
  const unfenced: typeof appendAsExecutor = (runId, generation, events) => (state) =>
    appendAsExecutor(runId, state.runs.byId[runId]?.generation ?? generation, events)(state)
  expect(await brokenPromise({ rules: { appendAsExecutor: unfenced } })).toBe("fence")
})

const deaf = (state: SessionState): SessionState => ({
  ...state,
  runs: {
    ...state.runs,
    byId: Object.fromEntries(Object.entries(state.runs.byId).map(([id, run]) => [id, { ...run, cancelReason: null }])),
  },
})

it("notices work that goes on after a cancel", async () => {
  const uncancelled: typeof appendAsExecutor = (runId, generation, events) => (state) =>
    appendAsExecutor(runId, generation, events)(deaf(state))
  expect(await brokenPromise({ rules: { appendAsExecutor: uncancelled } })).toBe("cancel wins")
})

it("notices a run that completes after a cancel", async () => {
  const uncancelled: typeof endRun = (runId, generation, now, end) => (state) =>
    endRun(runId, generation, now, end)(deaf(state))
  expect(await brokenPromise({ rules: { endRun: uncancelled } })).toBe("cancel wins")
})

it("notices two runs that are launched on one claim", async () => {
  const always = (runId: string, executor: string, expected: number) => (state: SessionState) => {
    const run = state.runs.byId[runId]
    if (!run) return []
    return [{ type: "run_claimed" as const, run_id: runId, agent_id: run.agentId, generation: expected + 1, executor }]
  }
  expect(await brokenPromise({ rules: { claimRun: always } })).toBeDefined()
})

it("notices a reader that takes a range for a snapshot", async () => {
  const log = (real: Log, records: Records): Log => ({
    ...real,
    async *read(name, since, { signal }) {
      yield* eventsOf(records, name, since, signal)
    },
  })
  expect(await brokenPromise({ log })).toMatch(/readers|fold/)
})

it("notices a reader that begins at the batch after a place in the middle of one", async () => {
  const log = (real: Log, records: Records): Log => ({
    ...real,
    async *read(name, since, { signal }) {
      yield* eventsOf(records, name, since, signal, batchSort(since + 1))
    },
  })
  expect(await brokenPromise({ log })).toMatch(/readers|fold/)
})

it("notices a loser that jumps to the head and doesn't hear what came before", async () => {
  const log = (real: Log): Log => {
    let jump = false
    return {
      ...real,
      async append(...args) {
        const placed = await real.append(...args)
        jump = placed === undefined
        return placed
      },
      async *read<E extends BaseEvent>(name: LogName<E>, since: number, options: { signal?: AbortSignal }) {
        const jumps = jump
        let last: Stored<E> | undefined
        for await (const event of real.read(name, since, options)) {
          if (!jumps) yield event
          last = event
        }
        if (jumps && last) yield last
      },
    }
  }
  expect(await brokenPromise({ log })).toBeDefined()
})

async function* eventsOf<E extends BaseEvent>(
  records: Records,
  name: LogName<E>,
  since: number,
  signal?: AbortSignal,
  from?: string,
) {
  for await (const record of records.range(name, { from, signal })) {
    for (const event of (await decodeBatch<E>(record)).events) if (event.seq > since) yield event
  }
}
