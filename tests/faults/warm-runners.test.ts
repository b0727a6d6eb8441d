import type { LogEvent } from "@switchyard/core/events"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { TaskFate } from "../rehearsal/ecs.ts"
import { someOf } from "../settings.ts"
import { type Containers, openContainers } from "./containers.ts"
import { endsOf, expectSound } from "./ledger.ts"

let cloud: Containers
beforeEach(() => void vi.spyOn(process.stdout, "write").mockReturnValue(true))
afterEach(async () => {
  await cloud.close()
  vi.resetModules()
})

async function openStage(count: number) {
  cloud = await openContainers({ env: { WARM_RUNNERS: String(count) } })
}

const alive = () => cloud.ecs.tasksOf().filter(({ ended }) => !ended)

async function isReady() {
  const pool = await cloud.pool()
  return pool.places.filter(({ executor, launch }) => executor !== null && launch === null).length
}

/** Sweeps until this many runners wait. */
async function waiting(count: number): Promise<void> {
  await cloud.sweepNow()
  await cloud.settled()
  await expect.poll(isReady, { interval: 100 }).toBe(count)
}

async function work(knobs: object = { files: { "a.txt": "a\n" } }) {
  const { id } = (await cloud.call("POST", "/api/v1/sessions", {})).body
  const sid = cloud.sidOf(id)
  const json = { coding_agent: "mock", task_description: `mock: ${JSON.stringify(knobs)}` }
  const run: string = (await cloud.call("POST", `/api/v1/sessions/${id}/tasks`, json)).body.task_id
  const events = () => cloud.events(id)
  return {
    ...{ id, sid, run, events },
    async ended() {
      await expect.poll(async () => endsOf(await events(), run).length, { interval: 100 }).toBe(1)
      const ledger = await cloud.read(id)
      expectSound(ledger, id)
      expect(endsOf(ledger.events, run)).toMatchObject([{ type: "run_completed" }])
      return ledger
    },
  }
}

const claims = (events: LogEvent[]) =>
  events.flatMap((event) => (event.type === "runner_claimed" ? event.executor.replace("ecs-", "") : []))

describe("a container that waits for a session", () => {
  it("takes over the next one, with that session's credentials alone, and is replaced; it goes when none shall wait", async () => {
    await openStage(1)
    await waiting(1)
    const [first] = cloud.ecs.tasksOf()
    expect(Object.keys(first?.own ?? {}).sort()).toEqual(["RUNNER_WARM", "RUNNER_WARM_KEY"])
    // A runner without a session requests no credentials.
    expect(cloud.sts.asked).toEqual([])

    const { sid, ended } = await work()
    const { events, files } = await ended()
    expect(files).toMatchObject({ "a.txt": "a\n" })
    expect(claims(events)).toEqual([first?.id])
    expect(cloud.ecs.tasksOf(sid)).toEqual([])
    expect(new Set(cloud.sts.asked.map((asked) => asked["Tags.member.1.Value"]))).toEqual(new Set([sid]))

    await cloud.settled()
    await expect.poll(isReady, { interval: 100 }).toBe(1)
    const [, next] = cloud.ecs.tasksOf()
    await cloud.keepWarm(0)
    await expect.poll(() => next?.ended, { interval: 100 }).toBeDefined()
    await cloud.keepWarm(0)
    expect((await cloud.pool()).places).toEqual([])
  })

  it("is one's own: of two sessions at once, one gets it, and the other another", async () => {
    await openStage(1)
    await waiting(1)
    const [first] = cloud.ecs.tasksOf()
    const both = await Promise.all([work(), work()])
    const served = (await Promise.all(both.map(({ ended }) => ended()))).flatMap(({ events }) => claims(events))
    expect(served).toHaveLength(2)
    expect(served.filter((task) => task === first?.id)).toHaveLength(1)
    expect(new Set(served).size).toBe(2)
  })

  const fates: [TaskFate[], number][] = [
    [["twice"], 2],
    [["unheard"], 1],
    [["throttled", "throttled", "throttled", "full"], 1],
  ]
  it.each(someOf(fates, 1))("is one where ECS does this with what it is asked for: %j", async (fates, begun) => {
    await openStage(1)
    cloud.ecs.fates.set("", fates)
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      await cloud.sweepNow()
      await cloud.settled()
    }
    await expect.poll(isReady, { interval: 100 }).toBe(1)
    // The second of two waiting runners must leave.
    await expect.poll(() => alive().length, { interval: 100 }).toBe(1)
    expect(cloud.ecs.tasksOf()).toHaveLength(begun)
    const [task] = alive()
    const { ended } = await work()
    expect(claims((await ended()).events)).toEqual([task?.id])
  })

  it("that is lost as it is given a session costs that another container, and nothing else", async () => {
    await openStage(1)
    await waiting(1)
    const [first] = cloud.ecs.tasksOf()
    const [place] = (await cloud.pool()).places
    first?.child?.kill("SIGSTOP")
    const { sid, ended, events } = await work()
    await expect.poll(() => cloud.isHandedOver(place?.id ?? "")).toBe(true)
    first?.child?.kill("SIGKILL")
    expect(claims((await ended()).events)).not.toContain(first?.id)
    const phases = (await events()).flatMap((event) => (event.type === "runner_awaited" ? event.phase : []))
    expect(phases.filter((phase) => phase === "lost")).toHaveLength(1)
    expect(cloud.ecs.tasksOf(sid).length + cloud.ecs.tasksOf().length).toBeGreaterThanOrEqual(2)
  })

  it("that has stopped is given to nobody", async () => {
    await openStage(1)
    await waiting(1)
    const [first] = cloud.ecs.tasksOf()
    await cloud.ecs.kill()
    const { sid, ended } = await work()
    const { events } = await ended()
    expect(claims(events)).toEqual([cloud.ecs.tasksOf(sid)[0]?.id])
    expect(claims(events)).not.toContain(first?.id)
  })
})
