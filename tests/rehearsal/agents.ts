import { setTimeout as pause } from "node:timers/promises"
import { systemClock } from "@switchyard/core/time"
import { createWarmPool } from "@switchyard/functions/aws/warm-pool"
import { expect } from "vitest"
import { endsOf, expectSound, readSession } from "../faults/ledger.ts"
import { createClient } from "./client.ts"
import type { Cloud } from "./cloud.ts"
import type { TaskFate } from "./ecs.ts"
import { sidOf } from "./judge.ts"
import type { Scenarios } from "./stage.ts"

/** An executor without a sign of life for this long is presumed dead. */
const PAST_A_LEASE_MS = 61_000
/** Number of attempts that the SDK makes before it reports an error. */
const ASKED = 3

/** An agent's task from its request to its end, in a container that ECS starts at once, late or not at all. */
export const agents: Scenarios = {
  async "an agent's task: from its request through a container of its own to the workspace"({ cloud }) {
    const task = await ask(cloud, [], { files: { "hello.txt": "Hello." } })
    await task.completed()
    const { phases } = await task.once()
    expect(phases[0]).toBe("requested")
    const tree = await task.client.get(`/workspace/tree?workspace_id=${task.session}`)
    expect(await tree.text()).toContain("hello.txt")
    // An idle container parks by itself, and the next task gets a new container.
    await task.runnerGone()
    // The container has the image with this agent only.
    expect(cloud.ecs.tasksOf(task.sid).map(({ definition }) => definition)).toEqual(["runner-mock:1"])
    // The container logs its outcome, and the worker logs the duration of the launch.
    const said = (kind: string) => cloud.lines(kind).filter(({ sid }) => sid === task.sid)
    expect(said("outcome")).toMatchObject([{ run_kind: "agent", status: "completed", fault: false }])
    expect(said("launch")).toMatchObject([{ result: "started", duration_ms: expect.any(Number) }])
  },

  async "an agent's task waits while ECS is throttled, and says so"({ cloud }) {
    const task = await ask(cloud, Array<TaskFate>(ASKED).fill("throttled"))
    await task.completed()
    expect((await task.once()).phases.slice(0, 2)).toEqual(["waiting", "requested"])
    expect(cloud.ecs.tasksOf(task.sid)).toHaveLength(1)
  },

  async "an agent's task waits while AWS has no machine, and says so"({ cloud }) {
    const task = await ask(cloud, ["full"])
    await task.completed()
    expect((await task.once()).phases.slice(0, 2)).toEqual(["waiting", "requested"])
    expect(cloud.ecs.tasksOf(task.sid)).toHaveLength(1)
  },

  async "an agent's task is given another container when one dies before it has claimed anything"({ cloud }) {
    const task = await ask(cloud, ["dies"])
    await task.completed()
    expect((await task.once()).phases.slice(0, 3)).toEqual(["requested", "lost", "requested"])
    expect(cloud.ecs.tasksOf(task.sid)).toHaveLength(2)
  },

  async "an agent's task goes on in another container when its machine is lost"({ cloud }) {
    const task = await ask(cloud, [], { duration_ms: 4000 })
    await task.seen("agent_turn_started")
    await cloud.ecs.kill(task.sid)
    await cloud.sweep({ aheadMs: PAST_A_LEASE_MS })
    await task.completed()
    const { types } = await task.ends()
    expect(types.filter((type) => type === "run_claimed")).toHaveLength(2)
    expect(cloud.ecs.tasksOf(task.sid)).toHaveLength(2)
  },

  // The second to last scenario, because the stage has other versions afterward.
  async "an agent goes on in its container while another version is deployed, which the next container has"({ cloud }) {
    const first = await ask(cloud, [], { duration_ms: 4000 })
    await first.seen("agent_turn_started")
    await cloud.deploy("0.0.1")
    await first.completed()
    await first.once()
    await first.runnerGone()
    const next = await ask(cloud, [])
    await next.completed()
    await next.runnerGone()
    expect([first, next].map(({ sid }) => servedBy(cloud, sid))).toEqual([
      [["runner-mock:1"], ["0.0.0"]],
      [["runner-mock:2"], ["0.0.1"]],
    ])
  },

  async "an agent goes on in its container while its version is rolled back, and the next container has the earlier one"({
    cloud,
  }) {
    await cloud.deploy("0.0.2")
    const first = await ask(cloud, [], { duration_ms: 4000 })
    await first.seen("agent_turn_started")
    expect(await cloud.rollBack("0.0.0")).toBe("0.0.0")
    await first.completed()
    await first.once()
    await first.runnerGone()
    const next = await ask(cloud, [])
    await next.completed()
    await next.runnerGone()
    expect(servedBy(cloud, first.sid)).toEqual([[expect.not.stringMatching(/:1$/)], ["0.0.2"]])
    expect(servedBy(cloud, next.sid)).toEqual([["runner-mock:1"], ["0.0.0"]])
    const launches = cloud.lines("launch").filter(({ sid }) => sid === first.sid || sid === next.sid)
    expect(launches.map(({ version }) => version)).toEqual(["0.0.2", "0.0.0"])
  },
}

/** Plays on a stage with containers in an existing network. No request to AWS needs its proxy. */
export const networkedAgents: Scenarios = {
  async "an agent's task is done in a network that exists, without a public address"({ cloud }) {
    const task = await ask(cloud, [], { files: { "hello.txt": "Hello." } })
    await task.completed()
    await task.once()
    const tree = await task.client.get(`/workspace/tree?workspace_id=${task.session}`)
    expect(await tree.text()).toContain("hello.txt")
    expect(cloud.ecs.tasksOf(task.sid)).toHaveLength(1)
  },
}

/** Returns the task definitions of a session's containers, and the versions of the code in them. */
function servedBy(cloud: Cloud, sid: string) {
  return [
    cloud.ecs.tasksOf(sid).map(({ definition }) => definition),
    cloud.lines("outcome").flatMap((line) => (line.sid === sid ? line.version : [])),
  ]
}

/** Plays on a stage where a container waits for a session (`WARM_RUNNERS=1`). */
export const warmAgents: Scenarios = {
  async "an agent's task is given the container that waits, and another one waits in its place"({ cloud }) {
    await cloud.sweep()
    const pool = createWarmPool({ records: cloud.stores.records, clock: systemClock })
    while (await pool.isDue(1, { signal: AbortSignal.timeout(60_000) })) await pause(100)
    expect(cloud.ecs.tasksOf()).toHaveLength(1)
    const task = await ask(cloud, [], { files: { "hello.txt": "Hello." } })
    await task.completed()
    await task.once()
    expect(cloud.ecs.tasksOf(task.sid)).toEqual([])
    while (cloud.ecs.tasksOf().length < 2) await pause(100)
    const [served] = cloud.ecs.tasksOf()
    while (!served?.ended) await pause(100)
    expect(cloud.ecs.tasksOf().filter(({ ended }) => !ended)).toHaveLength(1)
  },
}

/** Opens a session, sets the fates of its requests for containers, and gives the mock agent a task. */
async function ask(cloud: Cloud, fates: TaskFate[], knobs: object = {}) {
  const client = await createClient(cloud)
  const { id: session } = await client.send<{ id: string }>("/api/v1/sessions", {})
  const sid = sidOf(session)
  cloud.ecs.fates.set(sid, fates)
  const task_description = `Try it. mock: ${JSON.stringify(knobs)}`
  const { task_id } = await client.send<{ task_id: string }>(`/api/v1/sessions/${session}/tasks`, {
    task_description,
    coding_agent: "mock",
  })

  async function read() {
    const ledger = await readSession(cloud.stores, session)
    expectSound(ledger, session)
    return ledger.events
  }

  async function ends() {
    const events = await read()
    expect(endsOf(events, task_id).map(({ type }) => type)).toEqual(["run_completed"])
    return { events, types: events.map(({ type }) => type) }
  }

  return {
    ...{ client, session, sid, ends },
    /** Resolves when the API reports the task as completed. */
    async completed(): Promise<void> {
      for (;;) {
        const answer = await client.get(`/api/v1/sessions/${session}/tasks/${task_id}`)
        const { status } = (await answer.json()) as { status: string }
        if (status === "completed") return
        expect(["pending", "running"]).toContain(status)
        await pause(200)
      }
    },
    /** Expects that one executor did the task once. Resolves to the reported phases of its container. */
    async once() {
      const { events, types } = await ends()
      for (const type of ["run_claimed", "agent_turn_started"])
        expect(types.filter((one) => one === type)).toHaveLength(1)
      return { phases: events.flatMap((event) => (event.type === "runner_awaited" ? [event.phase] : [])) }
    },
    async seen(type: string): Promise<void> {
      while (!(await read()).some((event) => event.type === type)) await pause(100)
    },
    async runnerGone(): Promise<void> {
      await this.seen("runner_parked")
      while (cloud.ecs.tasksOf(sid).some(({ ended }) => !ended)) await pause(50)
    },
  }
}
