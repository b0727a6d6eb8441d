import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createNewId } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { LEASE_MS, RENEW_MS, writeLease } from "@switchyard/core/kernel/lease"
import { inOpenSession } from "@switchyard/core/kernel/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { createSealer } from "@switchyard/core/storage/sealing"
import { createRun } from "@switchyard/core/work/runs/admission"
import { claimRun } from "@switchyard/core/work/runs/rules"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import { maintain } from "@switchyard/functions/local/maintenance"
import { expect, it } from "vitest"
import { created } from "../../core/kernel/folded.ts"
import { openStores } from "../../fixtures/stores.ts"

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/**
 * Runs maintenance over one run, with a clock that the test sets. `beat` is called whenever the executor's lease is due
 * for renewal, and may renew it.
 */
async function maintained({
  claims = true,
  beat = async () => {},
}: {
  claims?: boolean
  beat?: (renew: () => Promise<void>) => Promise<void>
} = {}) {
  const stores = await openStores()
  const dataFolder = await mkdtemp(join(tmpdir(), "switchyard-data-"))
  const stopping = new AbortController()
  const { signal } = stopping
  let elapsed = 0
  let setBy = 0
  let pausedMs = 0
  let isPaused = false
  let until = 0
  let nextRenewal = RENEW_MS
  const now = () => 1_700_000_000_000 + elapsed + pausedMs + setBy
  const renew = async () => {
    const lease = { generation: 1, executor: "executor", until: now() + LEASE_MS }
    await writeLease(stores.records, "sid", "run_1", lease, {})
  }
  const clock = {
    now,
    monotonic: () => elapsed + pausedMs,
    /** Advances the time and calls `beat` at each renewal. */
    async sleep(ms: number) {
      const end = elapsed + ms
      for (; nextRenewal <= end; nextRenewal += RENEW_MS) {
        elapsed = nextRenewal
        await beat(renew)
      }
      elapsed = end
      if (elapsed >= until) stopping.abort()
    },
  }
  const shared = {
    ...stores,
    clock,
    log: createLog({ ...stores, clock }),
    newId: createNewId(),
    fold: sessionFold,
    writer: "test",
  }
  const due = createDueList(stores.records)
  const session = await openSessionLog(shared, "sid", { signal })
  await due.add({ kind: "run", sid: "sid", run_id: "run_1" }, now() + 30_000, {})
  await session.decide(inOpenSession("s", createRun(created())), { signal })
  if (claims) {
    await session.decide(claimRun("run_1", "executor", 0), { signal })
    await renew()
  }
  const launches: number[] = []
  const nothing = async () => {}
  const report = (error: unknown) => expect.unreachable(String(error))
  const sweep = {
    ...shared,
    due,
    keys: createRunSecrets(stores.records, createSealer(new Uint8Array(32)), now),
    index: createRunIndex(stores.records),
    launcher: { start: async () => void launches.push(elapsed), isPaused: () => isPaused },
    closeLooseEnds: async () => [],
    ...{ forgetRun: nothing, sweepSession: nothing, sweepWorktree: nothing, sweepMessages: nothing },
    sweepArchive: nothing,
    report,
  }
  const disk = { ...shared, dataFolder, isServed: () => false, report, retire: nothing }
  return {
    launches,
    setClock(ms: number) {
      setBy += ms
    },
    /** Advances the time as if the whole machine was suspended. */
    pause(ms: number) {
      pausedMs += ms
    },
    pauseExecutor(is: boolean) {
      isPaused = is
    },
    /** Runs maintenance for this long. */
    async run(ms: number) {
      until = elapsed + ms
      await maintain({ sweep, disk, recoverLogins: nothing, shrink() {}, report }, { signal })
    },
    async close() {
      await stores.close()
      await rm(dataFolder, { recursive: true })
    },
  }
}

it.each([DAY, -DAY, 40 * DAY])("leaves a run to its live executor when the clock is set by %d ms", async (jump) => {
  let isSet = false
  const found = await maintained({
    async beat(renew) {
      await renew()
      // The clock jumps right after a renewal, so that the next renewal is as late as possible.
      if (!isSet) found.setClock(jump)
      isSet = true
    },
  })
  await found.run(10 * MINUTE)
  expect(isSet).toBe(true)
  expect(found.launches).toEqual([])
  await found.close()
})

it.each([100_000, DAY])("leaves a run to its executor when both are paused for %d ms, ten times", async (ms) => {
  let pauses = 0
  const found = await maintained({
    async beat(renew) {
      await renew()
      // The machine pauses right after a renewal, so that the next renewal is as late as possible.
      if (pauses++ < 10) found.pause(ms)
    },
  })
  await found.run(20 * MINUTE)
  expect(pauses).toBeGreaterThan(10)
  expect(found.launches).toEqual([])
  await found.close()
})

it("leaves a run to an executor that is stopped by a signal, and starts it again once that executor is dead", async () => {
  let beats = 0
  const found = await maintained({
    async beat() {
      if (++beats === 30) found.pauseExecutor(false)
    },
  })
  found.pauseExecutor(true)
  await found.run(15 * MINUTE)
  expect(found.launches[0]).toBeGreaterThanOrEqual(30 * RENEW_MS)
  await found.close()
})

it("starts a run again whose executor dies as the clock is set back a day, when a lease has passed", async () => {
  let isSet = false
  const found = await maintained({
    async beat() {
      if (!isSet) found.setClock(-DAY)
      isSet = true
    },
  })
  await found.run(5 * MINUTE)
  expect(found.launches[0]).toBeGreaterThan(LEASE_MS / 2)
  expect(found.launches[0]).toBeLessThan(3 * MINUTE)
  await found.close()
})

it("starts a run again that an earlier process launched by a clock that was a day ahead", async () => {
  const found = await maintained({ claims: false })
  found.setClock(-DAY)
  await found.run(MINUTE)
  expect(found.launches[0]).toBe(0)
  await found.close()
})
