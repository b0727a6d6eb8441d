import type { NewEvent } from "@switchyard/core/events"
import { isLive } from "@switchyard/core/kernel/state"
import { emptySession } from "@switchyard/core/state"
import { createRun } from "@switchyard/core/work/runs/admission"
import { activeRun, activeRuns, forgetRuns } from "@switchyard/core/work/runs/state"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { note } from "../log/store.ts"
import {
  cancelled,
  cancelRequested,
  claimed,
  committed,
  completed,
  created,
  deleted,
  failed,
  handedOver,
  nodeFinished,
  opened,
  parked,
  relaunched,
  resumed,
  stateAfter,
  verdict,
} from "./folded.ts"

const runAfter = (...events: NewEvent[]) => stateAfter([opened(), created(), ...events]).runs.byId.run_1

describe("the fold of a session", () => {
  it("knows a run as it was created", () => {
    expect(runAfter()).toEqual({
      runId: "run_1",
      kind: "workflow",
      worktree: "main",
      waitsFor: null,
      title: "A page",
      agentId: "main",
      model: "scripted/demo",
      account: null,
      status: "queued",
      generation: 0,
      executor: null,
      cancelReason: null,
      attempts: 1,
      relaunches: 0,
      doneSteps: [],
      progress: null,
      firstSeq: 2,
      lastSeq: null,
      createdAt: "1970-01-01T00:00:01.000Z",
      startedAt: null,
      claimedAt: null,
      endedAt: null,
      progressSeq: null,
      milestoneSeq: null,
      verification: null,
      launchedAt: "1970-01-01T00:00:01.000Z",
      waitingReason: null,
    })
  })

  it.each([
    ["claimed", [claimed(1)], { status: "running", generation: 1, executor: "exe" }],
    ["claimed again", [claimed(1), claimed(2)], { status: "running", generation: 2 }],
    ["relaunched", [claimed(1), relaunched(2)], { status: "queued", attempts: 2, generation: 1 }],
    ["handed over", [claimed(1), handedOver(1)], { status: "queued", attempts: 0, launchedAt: null }],
    ["parked", [claimed(1), parked(1)], { status: "parked" }],
    ["resumed", [claimed(1), parked(1), resumed()], { status: "queued", attempts: 0 }],
    ["asked to stop", [claimed(1), cancelRequested("why")], { status: "running", cancelReason: "why" }],
    ["getting on", [relaunched(2), nodeFinished()], { attempts: 0 }],
    ["a step further", [relaunched(2), committed(1, "a"), committed(2, "b")], { attempts: 0, doneSteps: ["a", "b"] }],
    ["completed", [claimed(1), committed(1, "a"), completed()], { status: "completed", lastSeq: 5, doneSteps: [] }],
    ["failed", [claimed(1), failed()], { status: "failed", lastSeq: 4 }],
    ["cancelled", [cancelRequested(), cancelled()], { status: "cancelled", lastSeq: 4 }],
  ])("knows a run that is %s", (_, events, expected) => {
    expect(runAfter(...events)).toMatchObject(expected)
  })

  it("knows when a run began and ended, and where its agent last said something of itself", () => {
    const inRun = { run_id: "run_1", agent_id: "main" }
    const progress: NewEvent = { type: "progress", ...inRun, summary: "Half" }
    const milestone = {
      type: "milestone" as const,
      ...inRun,
      milestone_type: "m",
      title: "t",
      summary: "s",
      details: {},
    }
    expect(runAfter(claimed(1), progress, milestone, progress, completed())).toMatchObject({
      startedAt: "1970-01-01T00:00:01.000Z",
      endedAt: "1970-01-01T00:00:01.000Z",
      progressSeq: 6,
      milestoneSeq: 5,
    })
  })

  it("forgets ended runs beyond the last fifty, and never one that isn't over", () => {
    const ended = Array.from({ length: 53 }, (_, i) => `run_${String(i).padStart(3, "0")}`)
    const runs = ended.flatMap((run_id) => [created(run_id), { ...completed(), run_id } as NewEvent])
    const before = stateAfter([opened(), created("run_0", "reviewer"), ...runs])
    const { runs: kept, left } = forgetRuns(before.runs)
    const state = { ...before, runs: kept }
    expect(left.map(({ runId }) => runId)).toEqual(ended.slice(0, 3))
    expect(Object.keys(state.runs.byId)).toEqual(["run_0", ...ended.slice(3)])
    expect(state.runs.forgotten).toEqual({ runs: 3, upTo: "run_002" })
    expect(state.session.title).toBe("A page")
    expect(forgetRuns(kept)).toEqual({ runs: kept, left: [] })
    expect(verdict(createRun(created("run_001")), state)).toBe("idempotency_conflict")
    expect(verdict(createRun(created("run_052")), state)).toEqual([])
    expect(verdict(createRun(created("run_053")), state)).toEqual(["run_created"])
  })

  it("takes a commit for the newest version, whoever made it", () => {
    const state = stateAfter([opened(), committed(1), created(), committed(2, "a")])
    expect(state.workspace).toMatchObject({ version: 2, manifest: "manifest 2", files: null })
    expect(state.runs.byId.run_1?.doneSteps).toEqual(["a"])
  })

  it("keeps the commands of checks and the newest verdict over a commit, and not over a deletion", () => {
    const shown = { status: "not_run" as const, workspace_version: 1, checks: [] }
    const set: NewEvent = { type: "check_commands_set", commands: { test: "make test" } }
    const done = { ...completed(), verdict: shown } as NewEvent
    const state = stateAfter([opened(), created(), set, committed(1), done, committed(2)])
    expect([state.workspace.checkCommands, state.runs.verdict]).toEqual([{ test: "make test" }, shown])
    const again = stateAfter([opened(), created(), set, done, deleted(), opened(2)])
    expect([again.workspace.checkCommands, again.runs.verdict]).toEqual([{}, null])
  })

  it("knows how far a run is from what its nodes told, and nothing from what lies elsewhere", () => {
    const told = (update: object) => ({ ...nodeFinished(), update }) as NewEvent
    expect(runAfter(nodeFinished())?.progress).toBeNull()
    expect(runAfter(told({ total_steps: 7 }))?.progress).toEqual({ step: 0, total: 7 })
    const further = [told({ total_steps: 7 }), told({ current_step_idx: 3, total_steps: 7 }), nodeFinished()]
    expect(runAfter(...further)?.progress).toEqual({ step: 3, total: 7 })
  })

  it("keeps the name of its first plan, which is in the log unless the plan was too large for it", () => {
    const planned = (name: string) => {
      const plan = { name, description: "", techstack: "", features: [], files: [{ path: "a", purpose: "" }] }
      return { ...nodeFinished(), update: { plan } } as NewEvent
    }
    const named = (...events: NewEvent[]) => stateAfter([opened(), created(), ...events]).session.projectName
    expect(named(nodeFinished())).toBeNull()
    expect(named(nodeFinished(), planned("Shelf"), planned("Shelf in blue"))).toBe("Shelf")
    expect(named(planned("x".repeat(5000)))).toHaveLength(200)
  })

  it("begins anew when the session is deleted, and when it is opened again", () => {
    const before = stateAfter([{ ...opened(), name: "Garden" } as NewEvent, created(), claimed(1), committed(1, "a")])
    expect(before.session.name).toBe("Garden")
    const gone = stateAfter([deleted()], { state: before })
    expect(gone).toEqual({
      ...emptySession,
      head: 5,
      changedAt: "1970-01-01T00:00:01.000Z",
      session: {
        ...emptySession.session,
        incarnation: 1,
        deleted: true,
        since: { seq: 5, ts: "1970-01-01T00:00:01.000Z" },
      },
    })
    const again = stateAfter([opened(2)], { state: gone, at: 2000 })
    expect(again).toMatchObject({ head: 6, changedAt: "1970-01-01T00:00:02.000Z" })
    expect(again.session).toMatchObject({ incarnation: 2, deleted: false, name: null })
    expect(again).toMatchObject({ runs: { byId: {} }, workspace: { version: 0 } })
    expect([emptySession, before, gone, again].map(isLive)).toEqual([false, true, false, true])
  })

  it("knows the one active run of each agent", () => {
    const state = stateAfter([opened(), created(), completed(), created("run_2"), created("run_3", "reviewer")])
    expect(activeRun(state, "main")?.runId).toBe("run_2")
    expect(activeRun(state, "reviewer")?.runId).toBe("run_3")
    expect(activeRun(state, "nobody")).toBeUndefined()
    expect(activeRuns(state).map(({ runId }) => runId)).toEqual(["run_2", "run_3"])
  })

  it("only counts what it doesn't know, and what belongs to a run that it doesn't know", () => {
    const state = stateAfter([opened(), created()])
    const strange = [
      note("of nobody"),
      { ...note("of the run"), run_id: "run_1" } as NewEvent,
      { ...completed(), run_id: "run_9" } as NewEvent,
      { ...committed(1, "a"), run_id: "run_9" } as NewEvent,
    ]
    for (const event of strange) {
      const { head, workspace, ...rest } = stateAfter([event], { state })
      expect(head).toBe(3)
      expect({ ...state, ...rest }).toEqual({ ...state })
      expect(workspace.version).toBe(event.type === "workspace_committed" ? 1 : 0)
    }
  })

  it("is the same in one go as in two with a snapshot between, and changes no state that it was given", () => {
    const anything = fc.array(
      fc.constantFrom(
        opened(),
        opened(2),
        deleted(),
        created(),
        claimed(1),
        relaunched(2),
        handedOver(),
        parked(),
        resumed(),
        cancelRequested(),
        completed(),
        failed(),
        cancelled(),
        committed(1, "a"),
        nodeFinished(),
        note("x"),
      ),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(anything, fc.nat(30), (events, cut) => {
        const first = deepFreeze(stateAfter(events.slice(0, cut)))
        const rest = stateAfter(events.slice(cut), { state: JSON.parse(JSON.stringify(first)) })
        expect(rest).toEqual(stateAfter(events))
        expect(stateAfter(events.slice(cut), { state: first })).toEqual(rest)
      }),
    )
  })

  it("takes runs of a kind that came later", () => {
    const later = { ...created(), kind: "chat" as never }
    const { runs, worktrees } = stateAfter([opened(), later])
    expect(Object.values(runs.byId)).toMatchObject([{ kind: "chat", status: "queued" }])
    expect(worktrees).toEqual(stateAfter([opened()]).worktrees)
  })
})

function deepFreeze<T>(value: T): T {
  if (value && typeof value === "object") Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}
