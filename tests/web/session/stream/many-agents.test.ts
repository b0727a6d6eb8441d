import { describe, expect, it } from "vitest"
import { emptyView, reduceView } from "../../../../packages/web/src/session/stream/view.ts"
import { rosterOf } from "../../../../packages/web/src/session/thread/roster.ts"
import { foldOf, type Told } from "./fold.ts"

const viewAfter = foldOf(reduceView, emptyView)

const usage = { input: 10, cache_read: 0, cache_write: 0, output: 5 }
const created = (run_id: string, agent_id: string, worktree?: string): Told => [
  "run_created",
  {
    run_id,
    agent_id,
    worktree,
    kind: "agent",
    model: "mock",
    title: run_id,
    input: { task: run_id, cli: "mock", account: null },
  },
]
const opened = (pty: string, run_id: string, agent_id: string): Told => [
  "terminal_opened",
  { pty, run_id, agent_id, kind: "driver", title: "Agent", rows: 24, cols: 80 },
]
const said = (agent_id: string, summary: string): Told => ["progress", { agent_id, summary }]

const both = [
  created("run_1", "main"),
  opened("pty_1", "run_1", "main"),
  said("main", "Reading."),
  created("run_2", "api", "api"),
  opened("pty_2", "run_2", "api"),
]

describe("a session with two agents", () => {
  it("shows the agent of the newest run, and the terminals of both", () => {
    const view = viewAfter(...both, said("api", "Writing."), said("main", "Thinking."))
    expect(view.run).toMatchObject({ runId: "run_2", agentId: "api", worktree: "api" })
    expect(view.agent.progress).toBe("Writing.")
    expect(view.agent.terminals.map(({ pty }) => pty)).toEqual(["pty_1", "pty_2"])
    expect(view.agents.main?.agent.progress).toBe("Thinking.")
  })

  it("has a team's members on its roster only where they are agents", () => {
    const member = (kind: string, agent_id: string): Told => [
      "run_created",
      { run_id: agent_id, agent_id, kind, model: "m", input: {} },
    ]
    const team = [member("team", "coordinator"), member("work_node", "wkr_1"), member("shell_command", "shell-wkr_1")]
    const view = viewAfter(...both, ...team)
    expect(rosterOf(view).map(({ agentId }) => agentId)).toEqual(["main", "api"])
  })

  it("ends one run without the other, and with a new runner has no terminal of either", () => {
    const ended: Told = ["run_completed", { run_id: "run_1", agent_id: "main", duration_ms: 1, workspace_version: 1 }]
    const view = viewAfter(...both, ended)
    expect([view.run?.status, view.agents.main?.run?.status]).toEqual(["queued", "completed"])
    expect(view.agent.terminals.map(({ closed }) => closed)).toEqual([true, false])
    const next = viewAfter(...both, ["runner_claimed", { generation: 2, executor: "x" }])
    expect(next.agent.terminals.map(({ closed }) => closed)).toEqual([true, true])
    const lost = viewAfter(...both, ["terminal_closed", { pty: "pty_1", exit_code: null, recording: null }])
    expect(lost.agent.terminals.map(({ closed }) => closed)).toEqual([true, false])
  })

  it("counts the tokens of each, and of none twice", () => {
    const view = viewAfter(...both, [
      "model_usage",
      { run_id: "run_1", agent_id: "main", model: "m", usage, cost_usd: null },
    ])
    expect([view.run?.tokens, view.agents.main?.run?.tokens]).toEqual([null, { input: 10, output: 5 }])
  })

  it("has the state of the shown worktree, which the other's events and turns don't change", () => {
    const held: Told = ["deletions_held", { count: 1, paths: ["a.txt"], file_count: 2 }]
    const turn = (agent_id: string, run_id: string): Told => [
      "agent_turn_finished",
      { agent_id, run_id, duration_ms: 1, outcome: { type: "completed" } },
    ]
    const view = viewAfter(...both, held, turn("main", "run_1"))
    expect(view.work).toMatchObject({ held: null, changedSeq: 0 })
    expect(view.worktrees.main).toMatchObject({ held: { count: 1 }, changedSeq: view.seq })
    expect(viewAfter(...both, turn("api", "run_2")).work.changedSeq).toBe(6)
    expect(viewAfter(...both, ["worktree_changed", { worktree: "api" }]).work.changedSeq).toBe(6)
  })

  it("knows an agent by any name that one may have", () => {
    const view = viewAfter(created("run_1", "constructor", "toString"), said("constructor", "Reading."))
    expect([view.run?.runId, view.agent.progress, view.work.changedSeq]).toEqual(["run_1", "Reading.", 0])
  })
})
