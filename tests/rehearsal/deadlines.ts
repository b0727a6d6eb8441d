import { setTimeout as pause } from "node:timers/promises"
import { expect } from "vitest"
import { FILES } from "../faults/project.ts"
import { createClient } from "./client.ts"
import { expectDoneOnce, sidOf } from "./judge.ts"
import type { Scenarios, Stage } from "./stage.ts"
import { THROTTLED } from "./weather.ts"

/** An executor without a sign of life for this long is presumed dead. */
const PAST_A_LEASE_MS = 61_000
/**
 * A worker begins no step with less than five minutes left. It believes that it has slightly more, which passes within
 * seconds.
 */
const SOON = { timeoutMs: 5 * 60_000 + 6000, hurry: 30 }
/** Duration of a step that doesn't end before that deadline. */
const TOO_LONG_MS = 12_000

/** Scenarios in which a worker's time is up at the worst moments. */
export const deadlines: Scenarios = {
  async "a worker that its deadline finds in the middle of a step hands over, and the step is done by its successor"(
    stage,
  ) {
    const { running, told } = await stuck(stage, "stopped")
    await stage.cloud.lambda.settled()
    await stage.cloud.sweep()
    await running
    const { types } = await told()
    expect(types.filter((type) => type === "run_handed_over")).toHaveLength(1)
  },

  async "a worker that can't say so is killed at its deadline, in the middle of a step"(stage) {
    const { weather, lambda, sweep } = stage.cloud
    const silence = () => weather.dynamo.set(() => ({ failure: THROTTLED }))
    const { running, told } = await stuck(stage, "silenced", silence)
    await lambda.settled()
    expect(weather.dynamo.met()).toBeGreaterThan(0)
    weather.dynamo.set(() => undefined)
    await sweep({ aheadMs: PAST_A_LEASE_MS })
    await running
    const { types } = await told()
    expect(types).not.toContain("run_handed_over")
    expect(types).toContain("run_relaunched")
  },

  "a worker is killed right before its hand-over is written": (stage) =>
    killedAtHandOver(stage, "before-hand-over", false),

  "a worker is killed right after its hand-over was written": (stage) =>
    killedAtHandOver(stage, "after-hand-over", true),
}

/** Begins a run whose model is silent during the second file's step until the worker's time is up. */
async function stuck({ cloud, model }: Stage, workspace: string, onStep = () => {}) {
  const client = await createClient(cloud)
  let asked = 0
  model.watch(workspace, async (subject) => {
    if (subject !== FILES[1] || asked++ > 0) return
    onStep()
    await pause(TOO_LONG_MS)
  })
  cloud.lambda.fates.set(sidOf(workspace), [SOON])
  const running = client.run(workspace)
  await cloud.launched(workspace, 1)
  const told = async () => {
    const done = await expectDoneOnce(cloud, workspace)
    expect(asked, "who asks the model for the step").toBeGreaterThan(1)
    return done
  }
  return { running, told }
}

async function killedAtHandOver({ cloud, model }: Stage, workspace: string, written: boolean): Promise<void> {
  const client = await createClient(cloud)
  const sid = sidOf(workspace)
  let killed = 0
  const kill = async () => {
    killed += await cloud.lambda.killWorkersOf(sid)
  }
  cloud.weather.dynamo.set((request) => {
    if (killed > 0 || !/PutItem|ConditionExpression/.test(request) || !request.includes("run_handed_over"))
      return undefined
    // A killed worker can't receive an answer, so any answer will do.
    return written ? { after: kill, unheard: true } : { before: kill, failure: THROTTLED }
  })
  try {
    model.watch(workspace, () => pause(150))
    cloud.lambda.fates.set(sid, [{ timeoutMs: 5 * 60_000 + 700 }])
    const running = client.run(workspace)
    await cloud.launched(workspace, 1)
    await cloud.lambda.settled()
    // A worker that dies at the hand-over leaves no new hint, so the sweep relies on the run's original hint.
    await cloud.sweep({ aheadMs: PAST_A_LEASE_MS })
    await running
  } finally {
    cloud.weather.dynamo.set(() => undefined)
  }
  expect(killed).toBe(1)
  const { types } = await expectDoneOnce(cloud, workspace)
  expect(types.filter((type) => type === "run_handed_over")).toHaveLength(written ? 1 : 0)
}
