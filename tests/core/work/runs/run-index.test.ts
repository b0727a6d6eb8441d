import { createRepositoryCredentials } from "@switchyard/core/files/worktrees/repository-credentials"
import { createNewId } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { createLog } from "@switchyard/core/log/log"
import { createOwnerLimits } from "@switchyard/core/sessions/owner-limits"
import { createSessions } from "@switchyard/core/sessions/sessions"
import { sessionFold } from "@switchyard/core/state"
import type { Records } from "@switchyard/core/storage/records"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import { createRuns } from "@switchyard/core/work/runs/runs"
import { sweep } from "@switchyard/core/work/runs/sweep"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openStores, type Stores } from "../../../fixtures/stores.ts"

const { signal } = new AbortController()
const sealer = { seal: () => new Uint8Array(), open: () => "" }
const OWNER = "anna"
const MINUTE = 60_000

let stores: Stores
let now: number
beforeEach(async () => {
  stores = await openStores()
  now = Date.parse("2026-01-01T00:00:00Z")
})
afterEach(() => stores.close())

/** Creates one of several server processes on shared stores. */
function createServer(records: Records = stores.records) {
  const clock = { now: () => ++now, monotonic: () => now, sleep: async () => {} }
  const nothing = async () => {}
  const base = {
    ...{ records, blobs: stores.blobs, clock, newId: createNewId(clock.now), fold: sessionFold, writer: "test" },
    log: createLog({ records, blobs: stores.blobs, clock }),
    due: createDueList(records),
    index: createRunIndex(records),
    keys: createRunSecrets(records, sealer, clock.now),
    repositoryCredentials: createRepositoryCredentials({ records, sealerOf: () => sealer }),
    launcher: { start: nothing },
    closeLooseEnds: async () => [],
    report: (error: unknown) => expect.unreachable(String(error)),
  }
  const runs = createRuns(base)
  const sessions = createSessions({
    ...base,
    gitHostGrants: { grant: nothing },
    limits: createOwnerLimits({ ...base, limits: { sessions: 0, storedBytes: 0, terminals: 0 } }),
  })
  return {
    ...base,
    runs,
    async start(runId?: string) {
      const { session } = await sessions.touch(OWNER, "s", { signal })
      const input = { user_prompt: "Make a list.", recursion_limit: 100 }
      const run = {
        kind: "workflow" as const,
        owner: OWNER,
        sid: session.sid,
        sessionId: "s",
        model: "scripted/test",
        input,
        runId,
      }
      return runs.start({ ...run, repeatable: runId !== undefined }, { signal })
    },
    cancel: (runId: string) => runs.cancel(OWNER, runId, "enough", { signal }),
    deleteSession: () => sessions.remove(OWNER, "s", { signal }),
    listed: async () => (await Array.fromAsync(runs.list(OWNER, { limit: 9, signal }))).map(({ run }) => run.runId),
    indexed: async () => (await Array.fromAsync(base.index.ofOwner(OWNER, { signal }))).map(({ run_id }) => run_id),
    sweep: () =>
      sweep(
        {
          ...base,
          ...{
            sweepSession: nothing,
            sweepWorktree: nothing,
            sweepArchive: nothing,
            sweepMessages: nothing,
            forgetRun: nothing,
          },
        },
        { signal },
      ),
  }
}

it("lets a request that was refused be repeated once its session is opened anew", async () => {
  const server = createServer()
  await server.start()
  const asked = server.newId("run")
  await expect(server.start(asked)).rejects.toMatchObject({ code: "run_active" })
  await server.deleteSession()
  expect(await server.runs.findRepeated(OWNER, asked, { signal })).toBeUndefined()
  await server.start(asked)
  expect(await server.runs.get(OWNER, asked, { signal })).toMatchObject({ run: { status: "queued" } })
  expect(await server.listed()).toEqual([asked])
  await server.deleteSession()
  await expect(server.runs.findRepeated(OWNER, asked, { signal })).rejects.toMatchObject({ code: "run_not_found" })
})

it("has a run that one request created while another for the same was being refused", async () => {
  const server = createServer()
  const first = await server.start()
  const asked = server.newId("run")
  let isCreated = false
  const createIt = async () => {
    if (isCreated) return
    isCreated = true
    await server.cancel(first.runId)
    await server.start(asked)
  }
  const remove: Records["remove"] = async (...args) => {
    await createIt()
    return stores.records.remove(...args)
  }
  const other = createServer({ ...stores.records, remove })
  await expect(other.start(asked)).rejects.toMatchObject({ code: "run_active" })
  await createIt()
  expect(await server.runs.get(OWNER, asked, { signal })).toMatchObject({ run: { status: "queued" } })
  expect(await server.listed()).toContain(asked)
})

it("forgets a run that was announced and never created, but not before nobody can be about to create it", async () => {
  const server = createServer()
  const { runId } = await server.start()
  const asked = server.newId("run")
  await expect(server.start(asked)).rejects.toMatchObject({ code: "run_active" })
  await server.cancel(runId)
  now += 5 * MINUTE
  await server.sweep()
  expect(await server.indexed()).toEqual([asked, runId])
  now += 10 * MINUTE
  await server.sweep()
  expect(await server.indexed()).toEqual([runId])
  expect(await server.listed()).toEqual([runId])
})
