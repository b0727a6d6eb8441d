import { describe, expect, it } from "vitest"
import { emptyView, reduceView } from "../../../../packages/web/src/session/stream/view.ts"
import { foldOf } from "./fold.ts"

const viewOf = foldOf(reduceView, emptyView)

const run = { run_id: "run_1" }
const asked = (agent_id: string) => [
  ["run_created", { ...run, agent_id, kind: "chat_files", model: "none", input: { task: "review" } }] as const,
  ["chat_files_requested", { ...run, agent_id, task: "review" }] as const,
]

describe("the chat in a session's view", () => {
  it.each(["moments", "readings"])("is outdated once a run of its agent %s has ended, however it did", (agent_id) => {
    const failure = { ...run, agent_id, duration_ms: 1, error_type: "git_error", message: "No.", hint: "" }
    const events = asked(agent_id).map(([type, fields]): [string, object] => [type, fields])
    const view = viewOf(...events, ["run_failed", failure])
    expect(view.chat?.changedSeq).toBe(3)
    // The chat has no agent program whose page a user could open.
    expect(Object.keys(view.agents)).not.toContain(agent_id)
  })
})
