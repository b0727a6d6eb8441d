import { setTimeout as pause } from "node:timers/promises"
import { expect } from "vitest"
import { FILES } from "../faults/project.ts"
import { createClient } from "./client.ts"
import { expectDoneOnce, sidOf } from "./judge.ts"
import type { Scenarios, Stage } from "./stage.ts"
import { BROKEN, THROTTLED, type Weather } from "./weather.ts"

/** An executor without a sign of life for this long is presumed dead. */
const PAST_A_LEASE_MS = 61_000
/** Longer than any client has to wait, and shorter than a lease. */
const OUTAGE_MS = 30_000
/** A run continues within this time after its store recovers. */
const RECOVERY_MS = 15_000

/** Faults for all sessions at once, so these scenarios play one after another. */
export const badWeather: Scenarios = {
  async "a worker is killed in the middle, and its successor writes what is missing"({ cloud, model }) {
    const client = await createClient(cloud)
    let killed = 0
    model.watch("killed", async (subject) => {
      if (subject === FILES[3] && killed === 0) killed = await cloud.lambda.killWorkersOf(sidOf("killed"))
    })
    const running = client.run("killed")
    await cloud.launched("killed", 1)
    await cloud.lambda.settled()
    await cloud.sweep({ aheadMs: PAST_A_LEASE_MS })
    await running
    expect(killed).toBe(1)
    const { types } = await expectDoneOnce(cloud, "killed")
    // A sweep whose clock is ahead may presume the successor dead too, and start another one.
    expect(types.filter((type) => type === "run_claimed").length).toBeGreaterThan(1)
    // The first file was saved before the kill. It takes a single call.
    expect(model.turns("killed").filter((subject) => subject === FILES[0])).toHaveLength(1)
  },

  async "DynamoDB throttles or fails every request for half a minute"(stage) {
    let count = 0
    await outage(stage, "outage", () => ({ failure: ++count % 2 === 0 ? THROTTLED : BROKEN }))
  },

  async "DynamoDB does what it is asked, and every seventh answer is lost"(stage) {
    let count = 0
    await duringAll(stage, "dynamo", "unheard", () => (++count % 7 === 0 ? { unheard: true } : undefined))
  },

  "DynamoDB does what it is asked, and for half a minute every answer breaks off": (stage) =>
    outage(stage, "truncated", () => ({ truncated: true })),

  async "DynamoDB never answers one request in twenty-five"(stage) {
    let count = 0
    await duringAll(stage, "dynamo", "unanswered", () => (++count % 25 === 0 ? { never: true } : undefined))
  },

  "S3 is slow": (stage) => duringAll(stage, "s3", "slow", () => ({ delayMs: 400 })),
}

/** Plays a run that meets the weather in its middle, and continues when the weather is over. */
async function outage({ cloud, model }: Stage, workspace: string, weather: Weather): Promise<void> {
  const client = await createClient(cloud)
  let met = 0
  let over: Promise<void> | undefined
  model.watch(workspace, (subject) => {
    if (subject !== FILES[2] || over) return undefined
    cloud.weather.dynamo.set(weather)
    over = pause(OUTAGE_MS).then(() => {
      met = cloud.weather.dynamo.met()
      cloud.weather.dynamo.set(() => undefined)
    })
    return undefined
  })
  const running = client.run(workspace)
  await Promise.race([running, cloud.launched(workspace, 1)])
  while (!over) await pause(20)
  await over
  expect(met).toBeGreaterThan(5)
  // A worker that can't renew its lease in time gives up the run, and a successor takes over.
  const goesOn = await Promise.race([running.then(() => true), pause(RECOVERY_MS, false)])
  if (!goesOn) await cloud.sweep({ aheadMs: PAST_A_LEASE_MS })
  await running
  await expectDoneOnce(cloud, workspace)
}

/** Plays a run under this weather from its prompt to its files. */
async function duringAll({ cloud }: Stage, store: "dynamo" | "s3", workspace: string, weather: Weather): Promise<void> {
  const client = await createClient(cloud)
  cloud.weather[store].set(weather)
  try {
    await client.run(workspace)
    expect(cloud.weather[store].met()).toBeGreaterThan(5)
  } finally {
    cloud.weather[store].set(() => undefined)
  }
  await expectDoneOnce(cloud, workspace)
}
