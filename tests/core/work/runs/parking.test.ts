import { randomBytes } from "node:crypto"
import { answerQuestion } from "@switchyard/core/agents/questions/answer-question"
import type { NewEvent } from "@switchyard/core/events"
import { createNewId } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { inOpenSession } from "@switchyard/core/kernel/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { type SessionState, sessionFold } from "@switchyard/core/state"
import { createSealer } from "@switchyard/core/storage/sealing"
import { createRun } from "@switchyard/core/work/runs/admission"
import { executeRun } from "@switchyard/core/work/runs/execute"
import type { Launch } from "@switchyard/core/work/runs/launcher"
import { createReconcile, reconcileForRunner } from "@switchyard/core/work/runs/reconcile"
import { cancelRun, claimRun, endRun, parkRun } from "@switchyard/core/work/runs/rules"
import { RunParked, type RunWork } from "@switchyard/core/work/runs/run-context"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import type { WaitsFor } from "@switchyard/core/work/runs/schema"
import { sweep } from "@switchyard/core/work/runs/sweep"
import { waking } from "@switchyard/core/work/runs/waking"
import type { WorkflowInput } from "@switchyard/core/work/workflow/schema"
import { describe, expect, it } from "vitest"
import { openStores } from "../../../fixtures/stores.ts"
import { claimed, completed, created, opened, parked, stateAfter, verdict } from "../../kernel/folded.ts"

const { signal } = new AbortController()
const other: NewEvent = { ...created("run_2", "reviewer") }
const both = stateAfter([opened(), created(), claimed(1), other])
const parking = (waitsFor: WaitsFor | null) => parkRun("run_1", 1, { reason: "It waits.", waitsFor, now: 5000 })
const grown = (events: NewEvent[], state: SessionState) => stateAfter(events, { state })
const ofOther = (event: NewEvent): NewEvent => ({ ...event, run_id: "run_2", agent_id: "reviewer" })

function parkedFor(waitsFor: WaitsFor | null, state = both): SessionState {
  const said = parking(waitsFor)(state)
  return Array.isArray(said) ? grown(said, state) : expect.unreachable(said.message)
}

describe("a run that parks", () => {
  it("says what it waits for, and holds nothing", () => {
    const state = parkedFor({ run: "run_2" })
    expect(state.runs.byId.run_1).toMatchObject({ status: "parked", waitsFor: { run: "run_2" } })
    expect(verdict(claimRun("run_1", "exe", 1), state)).toBe("run_superseded")
  })

  it("is woken in the same batch where that has come about already", () => {
    const over = grown([ofOther(completed())], both)
    expect(verdict(parking({ run: "run_2" }), over)).toEqual(["run_parked", "run_resumed"])
    expect(verdict(parking({ run: "run_unknown" }), both)).toEqual(["run_parked", "run_resumed"])
    expect(verdict(parking({ until: new Date(5000).toISOString() }), both)).toEqual(["run_parked", "run_resumed"])
    expect(verdict(parking({ until: new Date(5001).toISOString() }), both)).toEqual(["run_parked"])
    expect(verdict(parking(null), both)).toEqual(["run_parked"])
  })

  it("is woken with the answer to its question, and by no other", () => {
    const asked = (id: string): NewEvent => ({
      ...{ type: "question_asked", run_id: "run_1", agent_id: "main", question_id: id },
      ...{ kind: "plan", question: { kind: "plan", plan: "Write it." } },
    })
    const state = grown([asked("que_1"), asked("que_2")], both)
    const waiting = parkedFor({ question: "que_1" }, state)
    const answered = (id: string) =>
      verdict(
        waking(
          answerQuestion(id, { content: { kind: "plan", plan: "" }, answer: { choice: "deny" }, by: "ada", now: 0 }),
        ),
        waiting,
      )
    expect(answered("que_1")).toEqual(["question_answered", "run_resumed"])
    expect(answered("que_2")).toEqual(["question_answered"])
    const withdrawn: NewEvent = { type: "question_withdrawn", run_id: "run_1", question_id: "que_1", reason: "x" }
    expect(verdict(parking({ question: "que_1" }), grown([withdrawn], state))).toEqual(["run_parked", "run_resumed"])
  })

  it("is cancelled instead if it was asked to stop", () => {
    const asked = grown([{ type: "run_cancel_requested", run_id: "run_1", agent_id: "main", reason: "x" }], both)
    expect(verdict(parking({ run: "run_2" }), asked)).toEqual(["run_cancelled"])
  })

  it("is woken in the batch that ends the run it waits for, however that ends, and by no other", () => {
    const state = parkedFor({ run: "run_2" }, grown([ofOther(claimed(1))], both))
    const end = endRun("run_2", 1, 9000, { type: "run_completed" })
    expect(verdict(end, state)).toEqual(["run_completed", "run_resumed"])
    const queued = parkedFor({ run: "run_2" })
    expect(verdict(cancelRun("run_2", "enough", 9000), queued)).toEqual([
      ...["run_cancel_requested", "run_cancelled", "run_resumed"],
    ])
    const untilLater = parkedFor({ until: "2100-01-01T00:00:00Z" }, grown([ofOther(claimed(1))], both))
    expect(verdict(end, untilLater)).toEqual(["run_completed"])
    const somebodyElse = grown([parked(1)], grown([ofOther(claimed(1))], both))
    expect(verdict(end, somebodyElse)).toEqual(["run_completed"])
  })
})

describe("a parked run on real stores", () => {
  async function stage(work: RunWork<WorkflowInput>) {
    const stores = await openStores()
    let now = 1_000_000
    const clock = {
      now: () => now,
      monotonic: () => now,
      sleep: (_: number, { signal }: { signal?: AbortSignal }) =>
        new Promise<void>((_, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason), { once: true }),
        ),
    }
    const log = createLog({ ...stores, clock })
    const launches: Launch[] = []
    const nothing = async () => {}
    const base = {
      ...{ ...stores, clock, log, newId: createNewId(clock.now), fold: sessionFold, writer: "test" },
      due: createDueList(stores.records),
      index: createRunIndex(stores.records),
      keys: createRunSecrets(stores.records, createSealer(randomBytes(32)), clock.now),
      launcher: { start: async (launch: Launch) => void launches.push(launch) },
      report: (error: unknown) => expect.unreachable(String(error)),
    }
    const reconcile = createReconcile(base)
    const session = await openSessionLog(base, "sid", { signal })
    const input = { user_prompt: "Make a list.", recursion_limit: 100 }
    await base.due.add({ kind: "run", sid: "sid", run_id: "run_1" }, now, { signal })
    await session.decide(inOpenSession("s", createRun({ ...created(), input })), { signal })
    const common = { ...base, reconcile, leases: stores.records, verboseErrors: true }
    const executor = { ...common, executor: "exe", stallAfterMs: 60_000 }
    return {
      session,
      launches,
      execute: (expectedGeneration: number) =>
        executeRun(
          { ...executor, unavailableAt: () => Number.NEGATIVE_INFINITY, kind: "workflow", work },
          { sid: "sid", runId: "run_1", expectedGeneration },
          { signal },
        ),
      async index(runId: string, sid: string) {
        const ref = { run_id: runId, owner: "anna", sid, session_id: "s", created_at: 0 }
        await base.index.add(ref, { signal })
        await base.keys.store("anna", runId, "secret", { signal })
      },
      /** Reconciles a run at the request of a runner in session `sid`. */
      reconcile: (runId: string, sid = "sid") => reconcileForRunner(base, { sid, runId }, { signal }),
      hasKey: async (runId: string) => (await base.keys.get("anna", runId, { signal })) !== undefined,
      async sweepAt(at: number) {
        now = 1_000_000 + at
        await sweep(
          {
            ...{ ...base, closeLooseEnds: async () => [], sweepSession: nothing, sweepWorktree: nothing },
            ...{ sweepArchive: nothing, sweepMessages: nothing, forgetRun: nothing },
          },
          { signal },
        )
        return (await session.catchUp({ signal })).runs.byId.run_1?.status
      },
      close: () => stores.close(),
    }
  }

  it("until a time is launched then, and not before, and goes on", async () => {
    let visits = 0
    const scene = await stage(async ({ history }) => {
      await Array.fromAsync(history())
      if (++visits === 1) throw new RunParked("Its quota is used up.", { until: new Date(1_600_000).toISOString() })
    })
    await scene.execute(0)
    expect(await scene.sweepAt(60_000)).toBe("parked")
    expect(await scene.sweepAt(599_999)).toBe("parked")
    expect(scene.launches).toEqual([])
    expect(await scene.sweepAt(600_000)).toBe("queued")
    expect(scene.launches).toMatchObject([{ runId: "run_1", expectedGeneration: 1 }])
    await scene.execute(1)
    expect(await scene.sweepAt(600_001)).toBe("completed")
    await scene.close()
  })

  it("for another run is launched by the end of that, and by the sweep if that end was another process's", async () => {
    const scene = await stage(async () => {
      throw new RunParked("A worker is at it.", { run: "run_2" })
    })
    await scene.session.decide(createRun(other as Parameters<typeof createRun>[0]), { signal })
    await scene.execute(0)
    expect(await scene.sweepAt(1000)).toBe("parked")
    await scene.session.decide(cancelRun("run_2", "enough", 1_002_000), { signal })
    expect(scene.session.state.runs.byId.run_1?.status).toBe("queued")
    await scene.sweepAt(120_000)
    const again = { runId: "run_1", expectedGeneration: 1 }
    expect(scene.launches).toMatchObject([again])
    await scene.close()
  })

  it("is looked after at its runner's request: launched, or rid of its key once it has ended", async () => {
    const scene = await stage(async () => {})
    await scene.session.decide(createRun(other as Parameters<typeof createRun>[0]), { signal })
    for (const runId of ["run_1", "run_2"]) await scene.index(runId, "sid")
    await scene.reconcile("run_1")
    expect(scene.launches).toMatchObject([{ runId: "run_1", expectedGeneration: 0 }])
    expect(await scene.hasKey("run_1")).toBe(true)
    await scene.session.decide(cancelRun("run_2", "enough", 1_002_000), { signal })
    await scene.reconcile("run_2")
    expect([await scene.hasKey("run_1"), await scene.hasKey("run_2")]).toEqual([true, false])
    expect(scene.launches).toHaveLength(1)
    await scene.close()
  })

  it("is not looked after at the request of another session's runner", async () => {
    const scene = await stage(async () => {})
    await scene.index("run_1", "sid")
    // The other session has no such run. If the run counted as ended, its key would be erased.
    await scene.reconcile("run_1", "other")
    await scene.reconcile("run_unknown")
    expect(scene.launches).toEqual([])
    expect(await scene.hasKey("run_1")).toBe(true)
    await scene.close()
  })
})
