import { createFollowState } from "@switchyard/runner/project/commands/follow-state"
import { describe, expect, it } from "vitest"

const dueAfter = (...types: string[]) => {
  const next = createFollowState()
  return types.map((type) => next({ type }))
}

describe("what is to be saved", () => {
  it("is a turn when the next one begins, and not the last one of a run, which its task saves", () => {
    expect(dueAfter("agent_turn_started", "agent_turn_finished", "agent_turn_started")).toEqual([
      undefined,
      undefined,
      "turn",
    ])
    expect(dueAfter("agent_turn_started", "agent_turn_finished", "run_completed", "agent_turn_started")).toEqual([
      undefined,
      undefined,
      "run",
      undefined,
    ])
  })

  it("is a run however it ends", () => {
    expect(dueAfter("run_completed", "run_failed", "run_cancelled")).toEqual(["run", "run", "run"])
  })

  it("is nothing after a turn that only began", () => {
    expect(dueAfter("agent_turn_started", "agent_turn_started")).toEqual([undefined, undefined])
  })
})
