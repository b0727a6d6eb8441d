import { createFollowState } from "@switchyard/runner/project/commands/follow-state"
import { describe, expect, it } from "vitest"

type Event = Parameters<ReturnType<typeof createFollowState>>[0]

const ofRun = (run_id: string) => (type: Event["type"]) => ({ type, run_id })
const dueIn = (worktree: string, events: Event[], earlier: { [runId: string]: string } = {}) => {
  const next = createFollowState(worktree, (runId) => earlier[runId])
  return events.map(next)
}
const dueAfter = (...types: Event["type"][]) => dueIn("main", types.map(ofRun("run_1")))

describe("what is to be saved", () => {
  it("is a turn when the next one begins, and not the last one of a run, which its task saves", () => {
    expect(dueAfter("agent_turn_started", "agent_turn_finished", "agent_turn_started")).toEqual([
      "start",
      undefined,
      "turn",
    ])
    expect(dueAfter("agent_turn_started", "agent_turn_finished", "run_completed", "agent_turn_started")).toEqual([
      "start",
      undefined,
      "run",
      "start",
    ])
  })

  it("is a run however it ends", () => {
    expect(dueAfter("run_completed", "run_failed", "run_cancelled")).toEqual(["run", "run", "run"])
  })

  it("is a look after each tool of its own runs", () => {
    const used = ofRun("run_api")("tool_call_finished")
    expect(dueIn("api", [used], { run_api: "api" })).toEqual(["look"])
    expect(dueIn("main", [used], { run_api: "api" })).toEqual([undefined])
  })

  it("is nothing after a turn that only began", () => {
    expect(dueAfter("agent_turn_started", "agent_turn_started")).toEqual(["start", "start"])
  })
})

describe("one of two worktrees", () => {
  const [main, api] = [ofRun("run_main"), ofRun("run_api")]
  const events: Event[] = [
    main("run_created"),
    { ...api("run_created"), worktree: "api" },
    api("agent_turn_finished"),
    main("agent_turn_started"),
    api("agent_turn_started"),
    { type: "worktree_command_requested" },
    { type: "worktree_command_requested", worktree: "api" },
    main("run_completed"),
    api("run_failed"),
  ]
  const [none, command] = [undefined, "command"]

  it("is due what its own runs and commands ask for", () => {
    expect(dueIn("main", events)).toEqual([none, none, none, "start", none, command, none, "run", none])
    expect(dueIn("api", events)).toEqual([none, none, none, none, "turn", none, command, none, "run"])
  })

  it("is that of a run which began earlier, as it is looked up", () => {
    const earlier = { run_api: "api" }
    expect(dueIn("main", [main("run_completed"), api("run_completed")], earlier)).toEqual(["run", none])
    expect(dueIn("api", [main("run_completed"), api("run_completed")], earlier)).toEqual([none, "run"])
  })

  it("is never that of an event without a run", () => {
    expect(dueIn("main", [{ type: "agent_turn_finished" }, { type: "run_completed", run_id: null }])).toEqual([
      none,
      none,
    ])
  })
})
