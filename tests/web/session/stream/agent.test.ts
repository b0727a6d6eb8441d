import { expect, it } from "vitest"
import { type AgentView, noAgent, reduceAgent } from "../../../../packages/web/src/session/stream/agent.ts"
import { foldOf, type Told } from "./fold.ts"

const viewAfter = foldOf(reduceAgent, noAgent)

const opened = (pty: string, run_id: string): Told => [
  "terminal_opened",
  { pty, run_id, kind: "driver", title: "Agent", rows: 24, cols: 80 },
]
const openOf = ({ terminals }: AgentView) => terminals.filter(({ closed }) => !closed).map(({ pty }) => pty)
const both = [opened("pty_1", "run_1"), opened("pty_2", "run_2")]

it.each([
  ["run_completed", { duration_ms: 1, workspace_version: 1 }],
  ["run_cancelled", { duration_ms: 1 }],
  ["run_failed", { duration_ms: 1, error_type: "x", message: "No.", hint: "Try." }],
])("a run that ends leaves the terminals of others alone: %s", (type, fields) => {
  expect(openOf(viewAfter(...both, [type, { run_id: "run_1", ...fields }]))).toEqual(["pty_2"])
})

it("a new runner has none of the terminals of the one before", () => {
  expect(openOf(viewAfter(...both, ["runner_claimed", { generation: 2, executor: "x" }]))).toEqual([])
})

it("adds up the costs of its turns, each of which reports what it cost so far", () => {
  const cost = (cost_usd: number | null): Told => ["agent_usage", { run_id: "run_1", cli: "mock", usage, cost_usd }]
  const usage = { input: 10, cache_read: 5, cache_write: null, output: 2 }
  const turn: Told = ["agent_turn_started", { run_id: "run_1", cli: "mock", attempt: 1 }]
  expect(viewAfter(turn, cost(0.25), cost(null), cost(0.5), cost(0.5), turn, cost(0.125)).costUsd).toBe(0.625)
})
