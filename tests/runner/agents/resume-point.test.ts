import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import type { NewEvent } from "@switchyard/core/events"
import { createNewId } from "@switchyard/core/ids"
import { inOpenSession, openSession } from "@switchyard/core/kernel/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { deleteSession } from "@switchyard/core/sessions/rules"
import { sessionFold } from "@switchyard/core/state"
import { systemClock as clock } from "@switchyard/core/time"
import { createRun } from "@switchyard/core/work/runs/admission"
import { claimRun } from "@switchyard/core/work/runs/rules"
import { readResumePoint } from "@switchyard/runner/agents/resume-point"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openStores, type Stores } from "../../fixtures/stores.ts"
import { never as signal } from "../../settings.ts"

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

const inputOf = (account: string, task = "Try it."): AgentInput => ({
  ...{ cli: "mock", account, task, model: null, reasoning: null, repository: null },
  terminal: { rows: 24, cols: 80 },
})

/** Opens a session in which agents work, and counts the records that are read from it. */
async function open(sid: string) {
  let reads = 0
  const records: typeof stores.records = {
    ...stores.records,
    get(key, options) {
      reads++
      return stores.records.get(key, options)
    },
    async *range(partition, options) {
      for await (const record of stores.records.range(partition, options)) {
        reads++
        yield record
      }
    },
  }
  const deps = { records, blobs: stores.blobs, clock, newId: createNewId(), fold: sessionFold, writer: "test" }
  const logged = { ...deps, log: createLog({ ...deps }) }
  const session = await openSessionLog(logged, sid, { signal })
  await session.decide(openSession("s"), { signal })

  /** Begins a turn of this run on an account. */
  async function begin(run_id: string, account: string, task?: string) {
    const created = { run_id, agent_id: "main", kind: "agent" as const, model: "mock", input: inputOf(account, task) }
    await session.decide(inOpenSession("s", createRun(created)), { signal })
    await session.decide(claimRun(run_id, "here", 0), { signal })
    await say(run_id, { type: "agent_turn_started", cli: "mock", model: null, pty: "pty_1", attempt: 1 })
    await say(run_id, {
      type: "agent_session_opened",
      cli: "mock",
      model: null,
      native_session_id: `native of ${run_id}`,
    })
  }

  const say = (run_id: string, ...events: NewEvent[]) =>
    session.decide(() => events.map((event) => ({ ...event, run_id, agent_id: "main" })), { signal })

  return {
    ...{ session, begin, say },
    complete: (run_id: string) =>
      say(run_id, { type: "run_completed", run_id, agent_id: "main", duration_ms: 1, workspace_version: 0 }),
    /** Returns the past that a run finds in a process that has read nothing yet. */
    async past(runId: string, account: string) {
      const before = reads
      const fresh = await openSessionLog(logged, sid, { signal })
      await fresh.catchUp({ signal })
      const past = await readResumePoint(deps, fresh, { runId, agentId: "main", input: inputOf(account) }, { signal })
      return { past, reads: reads - before }
    },
  }
}

it("is the newest native session of the account, and whether somebody worked here, in this run too", async () => {
  const { begin, complete, past, session } = await open("one")
  const nothing = { nativeSession: null, unknown: [], followUp: false, interrupted: false }
  expect((await past("run_1", "a")).past).toEqual(nothing)
  // The task is so long that its input is stored outside the log.
  await begin("run_1", "a", "Try it. ".repeat(10_000))
  expect((await past("run_1", "a")).past).toEqual({
    ...nothing,
    nativeSession: "native of run_1",
    followUp: true,
    interrupted: true,
  })
  await complete("run_1")
  await begin("run_2", "b")
  await complete("run_2")
  const worked = (runId: string, account: string) => ({ runId, program: { account }, isHandedOver: false })
  expect((await past("run_3", "a")).past).toMatchObject({
    ...{ ...nothing, nativeSession: "native of run_1", followUp: true },
    unknown: [worked("run_2", "b")],
  })
  expect((await past("run_3", "b")).past).toEqual({ ...nothing, nativeSession: "native of run_2", followUp: true })
  expect((await past("run_3", "c")).past).toMatchObject({
    ...{ ...nothing, followUp: true },
    unknown: [worked("run_1", "a"), worked("run_2", "b")],
  })

  await session.decide(deleteSession("request"), { signal })
  await session.decide(openSession("s"), { signal })
  expect((await past("run_3", "a")).past).toEqual(nothing)
})

it("leaves out the part of a run that another program worked on", async () => {
  const { begin, complete, past, say } = await open("handed-over")
  await begin("run_1", "a")
  await say("run_1", {
    ...{ type: "provider_switched", run_id: "run_1", agent_id: "main" },
    ...{ from_provider: "mock", from_account: "a", from_model: null },
    ...{ to_provider: "mock", to_account: "b", to_model: null, to_reasoning: null },
    ...{ reason: "Full.", problem: "quota_exhausted", resets_at: null },
  })
  await say("run_1", { type: "agent_turn_started", cli: "mock", model: null, pty: "pty_2", attempt: 1 })
  await complete("run_1")
  const { nativeSession, unknown } = (await past("run_2", "a")).past
  expect(nativeSession).toBe("native of run_1")
  expect(unknown).toMatchObject([{ runId: "run_1", program: { account: "b" }, isHandedOver: true }])
  // Account b opened no session, so it doesn't know its own work either.
  const other = (await past("run_2", "b")).past
  expect(other.nativeSession).toBeNull()
  expect(other.unknown).toMatchObject([{ runId: "run_1", program: { account: "b" }, isHandedOver: false }])
  expect(other.unknown[0]?.firstSeq).toBeLessThan(unknown[0]?.firstSeq ?? 0)
})

it("costs as many reads in a session of 50,000 events as in one of 20", async () => {
  const costs = async (sid: string, events: number) => {
    const { begin, say, complete, past } = await open(sid)
    await begin("run_1", "a")
    const notice: NewEvent = { type: "agent_notice", text: "One of many." }
    const batch = Math.min(events, 500)
    for (let said = 0; said < events; said += batch) await say("run_1", ...Array.from({ length: batch }, () => notice))
    await complete("run_1")
    const { past: found, reads } = await past("run_2", "a")
    expect(found).toEqual({ nativeSession: "native of run_1", unknown: [], followUp: true, interrupted: false })
    return reads
  }
  const [short, long] = [await costs("short", 13), await costs("long", 50_000)]
  expect(long).toBeLessThanOrEqual(short + 12)
})
