import { afterAttempt, type LaunchState, nextAttempt } from "@switchyard/functions/aws/launch-attempts"
import { describe, expect, it } from "vitest"

const fresh: LaunchState = { failures: 0, dead: null }
const full = { reason: "full", phase: "waiting" as const }
const started = (state: LaunchState) => nextAttempt(state, { executor: null, generation: 4 })

describe("the attempts of a launch", () => {
  it("wait for the runner that a session has, unless that one is dead", () => {
    const runner = { executor: "ecs-a", generation: 4 }
    expect(nextAttempt(fresh, runner)).toEqual({ type: "existing", executor: "ecs-a", number: 1 })
    expect(nextAttempt({ failures: 2, dead: "ecs-a" }, runner)).toEqual({ type: "new", generation: 5, number: 3 })
    expect(started(fresh)).toEqual({ type: "new", generation: 5, number: 1 })
  })

  it("go on at once after the loss of an existing runner, which is no failure of the launch", () => {
    const attempt = nextAttempt(fresh, { executor: "ecs-a", generation: 4 })
    expect(afterAttempt(fresh, attempt, { task: "a", failure: { reason: "stopped", phase: "lost" } }, 0)).toEqual({
      state: { failures: 0, dead: "ecs-a" },
      step: { type: "continue" },
    })
  })

  it("remember the task that the launch started, also when it is lost", () => {
    const { state } = afterAttempt(fresh, started(fresh), { task: "b", failure: { reason: "gone", phase: "lost" } }, 0)
    expect(state).toEqual({ failures: 1, dead: null, ownTask: "b" })
  })

  it("are repeated after longer and longer waits, and given up after the sixth", () => {
    let state = fresh
    const steps = Array.from({ length: 6 }, () => {
      const after = afterAttempt(state, started(state), { failure: full }, 0)
      state = after.state
      return after.step.type === "retry" ? after.step.delayMs : after.step.type
    })
    expect(steps).toEqual([2000, 10_000, 30_000, 60_000, 120_000, "give_up"])
  })

  it("are given up at once where a retry is of no use, and after ten minutes", () => {
    const gaveUp = { type: "give_up", reason: "refused" }
    expect(afterAttempt(fresh, started(fresh), { failure: { reason: "refused" } }, 0).step).toEqual(gaveUp)
    const late = afterAttempt(fresh, started(fresh), { failure: { ...full, reason: "refused" } }, 600_001)
    expect(late.step).toEqual(gaveUp)
  })
})
