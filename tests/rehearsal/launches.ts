import { setTimeout as pause } from "node:timers/promises"
import { expect } from "vitest"
import { createClient } from "./client.ts"
import { expectDoneOnce, sidOf } from "./judge.ts"
import type { Scenarios } from "./stage.ts"

/** A launch may be under way for this long. */
const PAST_A_LAUNCH_MS = 31_000
/** A worker begins no step with less than five minutes left, so this is enough for a few steps. */
const A_FEW_STEPS_MS = 5 * 60_000 + 3000
/** A function ends its answer ten seconds before its limit, so after one second here. */
const A_SHORT_ANSWER_MS = 11_000

/** Runs from a prompt to the files, with faults of readers, launches and workers. */
export const launches: Scenarios = {
  async "who doesn't come by the Router, or has no token, gets nothing"({ cloud }) {
    for (const origin of Object.values(cloud.origins)) expect((await fetch(`${origin}/health`)).status).toBe(403)
    expect((await fetch(`${cloud.url}/health`)).status).toBe(200)
    expect((await fetch(`${cloud.url}/v1/runs`)).status).toBe(401)
    expect(cloud.lines("warning")[0]).toMatchObject({ message: expect.stringContaining("CORS") })
  },

  async "switchyard run: from a prompt to the unpacked files"({ cloud }) {
    const client = await createClient(cloud)
    await client.run("plain")
    const { types } = await expectDoneOnce(cloud, "plain")
    expect(types.filter((type) => type === "run_claimed")).toHaveLength(1)
  },

  async "a reader comes back when the function for streams must end, and hears everything"({ cloud, model }) {
    const client = await createClient(cloud)
    model.watch("deadline", () => pause(400))
    await cloud.withTimeout("stream", A_SHORT_ANSWER_MS, () => client.run("deadline"))
    const { runId } = await expectDoneOnce(cloud, "deadline")
    expect(cloud.requests(`/v1/runs/${runId}/events`)).toBeGreaterThan(1)
  },

  async "a stream is cut in its middle, again and again, and the reader hears everything"({ cloud }) {
    const client = await createClient(cloud)
    const before = cloud.router.cut()
    cloud.router.cuts.push(700, 900, 3000)
    await client.run("cut")
    await expectDoneOnce(cloud, "cut")
    expect(cloud.router.cut() - before).toBe(3)
  },

  async "a stream whose reader has left is billed until its time is up, and no longer"({ cloud, model }) {
    const client = await createClient(cloud)
    model.watch("idle", () => pause(500))
    const runId = await client.start("idle")
    await cloud.withTimeout("stream", A_SHORT_ANSWER_MS + 2000, async () => {
      const stream = await client.get(`/v1/runs/${runId}/stream`)
      await stream.body?.cancel()
      const bill = () => cloud.lambda.bills.find(({ path }) => path === `/v1/runs/${runId}/stream`)
      while (!bill()) await pause(50)
      // The function doesn't learn that its reader left, so it lasts its full time. A busy machine adds some.
      expect(bill()?.ms).toBeGreaterThan(2500)
      expect(bill()?.ms).toBeLessThan(15_000)
    })
    await cloud.lambda.settled()
    await expectDoneOnce(cloud, "idle")
  },

  async "a launch that comes twice is one run"({ cloud }) {
    const client = await createClient(cloud)
    cloud.lambda.fates.set(sidOf("twice"), [{ deliveries: [0, 0, 300] }])
    await client.run("twice")
    await cloud.lambda.settled()
    const { types } = await expectDoneOnce(cloud, "twice")
    expect(types.filter((type) => type === "run_claimed")).toHaveLength(1)
  },

  async "a launch that never comes is made up for by the sweep"({ cloud }) {
    const client = await createClient(cloud)
    cloud.lambda.fates.set(sidOf("lost"), [{ deliveries: [] }])
    const running = client.run("lost")
    await cloud.launched("lost", 1)
    await cloud.sweep({ aheadMs: PAST_A_LAUNCH_MS })
    await running
    const { types } = await expectDoneOnce(cloud, "lost")
    expect(types.filter((type) => type === "run_relaunched")).toHaveLength(1)
  },

  async "a launch that comes after its successor does nothing"({ cloud }) {
    const client = await createClient(cloud)
    cloud.lambda.fates.set(sidOf("late"), [{ deliveries: [4000] }])
    const running = client.run("late")
    await cloud.launched("late", 1)
    await cloud.sweep({ aheadMs: PAST_A_LAUNCH_MS })
    await running
    await cloud.lambda.settled()
    const { types } = await expectDoneOnce(cloud, "late")
    expect(types.filter((type) => type === "run_claimed")).toHaveLength(1)
  },

  async "a worker hands over before its deadline, and the sweep starts its successor"({ cloud, model }) {
    const client = await createClient(cloud)
    model.watch("long", () => pause(400))
    cloud.lambda.fates.set(sidOf("long"), [{ timeoutMs: A_FEW_STEPS_MS }])
    const running = client.run("long")
    await cloud.launched("long", 1)
    await cloud.lambda.settled()
    await cloud.sweep()
    await running
    const { types } = await expectDoneOnce(cloud, "long")
    expect(types.filter((type) => type === "run_handed_over")).toHaveLength(1)
    expect(types.indexOf("run_handed_over")).toBeGreaterThan(types.indexOf("node_finished"))
  },
}
