import { expect, it } from "vitest"
import { type AgentView, noAgent, reduceAgent } from "../../../packages/web/src/stream/agent.ts"
import { toEvent } from "../../../packages/web/src/stream/event.ts"

function viewAfter(...events: [type: string, fields: object][]): AgentView {
  return events
    .map(([type, fields], index) =>
      toEvent({ seq: index + 1, event_id: `evt_${index}`, ts: "2026-01-02T03:04:05.000Z", type, ...fields }),
    )
    .reduce(reduceAgent, noAgent)
}

const opened = (pty: string, run_id: string): [string, object] => [
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
