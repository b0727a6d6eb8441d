import type { NewEvent } from "@switchyard/core/events"
import type { SessionState } from "@switchyard/core/state"
import { budgetLeft, nodeBudget } from "@switchyard/core/work/teams/node-budget"
import { describe, expect, it } from "vitest"
import { created, deleted, opened, stateAfter } from "../../kernel/folded.ts"

const team: NewEvent[] = [
  { type: "team_started", run_id: "run_0", agent_id: "coordinator", goal: "Tea", max_concurrent: 4 },
]
const node = (node_id: string): NewEvent => ({
  ...{ type: "work_node_created", node_id, task: "Write", spec: "Write", depends_on: [], refs: {} },
  budget: { usd: null, tokens: 1000, minutes: 10 },
})

/** Adds a run of a node that uses this many tokens and a minute. */
function worked(state: SessionState, { node_id, runId, tokens }: { node_id: string; runId: string; tokens: number }) {
  const at = Date.parse("2025-11-20T12:00:00Z")
  const run = { run_id: runId, agent_id: `worker-${runId}` }
  const usage = { input: tokens, cache_read: null, cache_write: null, output: 0 }
  const begun = stateAfter(
    [
      created(runId, run.agent_id),
      { type: "work_node_started", node_id, worker_id: "wkr_1", node_run_id: runId },
      { type: "run_claimed", ...run, generation: 1, executor: "test" },
    ],
    { state, at },
  )
  return stateAfter(
    [
      ...(tokens === 0 ? [] : [{ type: "model_usage" as const, ...run, model: "scripted/test", usage }]),
      { type: "run_completed", ...run, duration_ms: 1, workspace_version: 0 },
    ],
    { state: begun, at: at + 60_000 },
  )
}

function manyWorked(state: SessionState, node_id: string): SessionState {
  const runIds = Array.from({ length: 60 }, (_, at) => `run_${node_id}_${at}`)
  return runIds.reduce((before, runId) => worked(before, { node_id, runId, tokens: 1 }), state)
}

function spentOn(state: SessionState, nodeId: string): [tokens: number, minutes: number] {
  const kept = state.team?.nodes[nodeId]
  if (!kept) return [Number.NaN, Number.NaN]
  const { used } = nodeBudget(state, kept)
  return [used.tokens, used.minutes]
}

describe("the spending of a node", () => {
  const begun = stateAfter([opened(), ...team, node("a"), node("constructor")])
  const first = worked(begun, { node_id: "a", runId: "run_1", tokens: 300 })

  it("is that of all its runs, however many others ended since", () => {
    const later = manyWorked(worked(first, { node_id: "a", runId: "run_2", tokens: 0 }), "constructor")
    expect(later.usage.runs).not.toHaveProperty("run_1")
    expect([spentOn(later, "a"), spentOn(later, "constructor")]).toEqual([
      [300, 2],
      [60, 60],
    ])
    const again = worked(later, { node_id: "a", runId: "run_3", tokens: 500 })
    expect(spentOn(again, "a")).toEqual([800, 3])
    const kept = again.team?.nodes.a
    expect(kept && budgetLeft(again, kept)).toEqual({ usd: null, tokens: 200, minutes: 7 })
  })

  it("counts from the run on of which a person sets the budget", () => {
    const second = stateAfter(
      [
        created("run_2", "worker-2"),
        { type: "work_node_started", node_id: "a", worker_id: "wkr_1", node_run_id: "run_2" },
        {
          ...{ type: "budget_set", run_id: "run_2", agent_id: "worker-2", scope: "run" },
          ...{ usd: null, tokens: 50, minutes: null },
        },
      ],
      { state: first },
    )
    expect([spentOn(first, "a"), spentOn(second, "a")]).toEqual([
      [300, 1],
      [0, 0],
    ])
    expect(spentOn(manyWorked(second, "constructor"), "a")).toEqual([0, 0])
    const ofSession: NewEvent = { type: "budget_set", scope: "session", usd: null, tokens: 50, minutes: null }
    expect(spentOn(stateAfter([ofSession], { state: first }), "a")).toEqual([300, 1])
  })

  it("begins anew where it is done anew, and in another team or session", () => {
    const reopened: NewEvent = { type: "work_node_reopened", node_id: "a" }
    const anew = (state: SessionState) => stateAfter([{ ...reopened, anew: true }], { state })
    expect(spentOn(stateAfter([reopened], { state: first }), "a")).toEqual([300, 1])
    for (const state of [first, manyWorked(first, "constructor")]) {
      expect(spentOn(anew(state), "a")).toEqual([0, 0])
      expect(spentOn(stateAfter([...team, node("a")], { state }), "a")).toEqual([0, 0])
      expect(spentOn(stateAfter([deleted(), opened(2), ...team, node("a")], { state }), "a")).toEqual([0, 0])
    }
  })
})
