import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readFrames } from "../functions/agents/frames.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { cases } from "../settings.ts"
import { seeded } from "./random.ts"

const TASKS = cases({ usual: 6, deep: 60 })
const OVER = "2020-01-01T00:00:00.000Z"
const STEPS = 5

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  // The mock's model "small" reaches a limit, and "large" doesn't.
  for (const [name, model] of [
    ["first", "small"],
    ["second", "large"],
  ]) {
    await server.call("POST", "/api/v1/accounts", { json: { name, provider: "mock", model } })
  }
})
afterAll(() => server.close())

/** Each command records its step once in a file. The commands repeat no step, so a lost step stays lost. */
const commands = Array.from({ length: STEPS }, (_, step) => {
  return `grep -qx ${step} done.txt 2>/dev/null || echo ${step} >> done.txt`
})

// biome-ignore lint/suspicious/noExplicitAny: whatever the test expects of it
type Told = any

/** Moments of a switch. A runner is killed within this time after the first matching event. */
const moments: { after: (event: Told, before: Told[]) => boolean; withinMs: number }[] = [
  // Between the end of the turn that reached the limit and the checkpoint.
  { after: ({ type, outcome }) => type === "agent_turn_finished" && outcome.type === "limit", withinMs: 60 },
  { after: ({ type }) => type === "tool_call_finished", withinMs: 150 },
  { after: ({ type }) => type === "context_condensed", withinMs: 5 },
  // Between the switch and the prompt for the next account.
  { after: ({ type }) => type === "provider_switched", withinMs: 150 },
  { after: ({ type, model }) => type === "agent_turn_started" && model === "large", withinMs: 60 },
  {
    after: ({ type }, before) => type === "tool_call_started" && before.some((one) => one.type === "provider_switched"),
    withinMs: 100,
  },
  // While the run saves its work and parks.
  { after: ({ type }) => type === "milestone", withinMs: 100 },
  { after: ({ type }) => type === "run_parked", withinMs: 50 },
  { after: ({ type }) => type === "run_resumed", withinMs: 200 },
  { after: ({ type }) => type === "summary_received", withinMs: 40 },
]

/** Gives a task, and kills its runner once or twice on the way. Resolves to the run, its steps and all its events. */
async function killed(seed: number, limit: object) {
  const random = seeded(seed)
  const { id } = (await server.call("POST", "/api/v1/sessions")).body
  const after = random.between(0, STEPS - 1)
  const knobs = { files: {}, commands, duration_ms: random.between(0, 200), limit: { after, ...limit } }
  const json = { coding_agent: "first", consent: true, task_description: `Go. mock: ${JSON.stringify(knobs)}` }
  const { task_id } = (await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })).body
  const chosen = Array.from({ length: random.between(1, 2) }, () => random.pick(moments))
  const events: Told[] = []
  let runner: number | undefined
  for await (const { event, data } of readFrames(server, `/api/v1/sessions/${id}/stream?task=${task_id}`)) {
    if (event !== "event") continue
    if (data.type === "runner_claimed") runner = Number(/\d+/.exec(data.executor)?.[0])
    const [next] = chosen
    if (next?.after(data, events) && runner !== undefined) {
      chosen.shift()
      const pid = runner
      runner = undefined
      void pause(random.between(0, next.withinMs)).then(() => kill(pid))
    }
    events.push(data)
  }
  const run = await server.ended(task_id)
  const { text } = await server.call("GET", `/api/v1/sessions/${id}/events?limit=1000`)
  const { body } = await server.call("GET", `/workspace/file?path=done.txt&workspace_id=${id}`)
  return { run, steps: body.content, events: JSON.parse(text).events as Told[] }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // The runner has parked in the meantime.
  }
}

const all = Array.from({ length: STEPS }, (_, step) => `${step}\n`).join("")

/** Plays all seeds, two at a time. Resolves to all their events. */
async function playAll(play: (seed: number) => Promise<Told[]>): Promise<Told[]> {
  const left = Array.from({ length: TASKS }, (_, index) => index + 1)
  const told: Told[] = []
  const next = async () => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) told.push(...(await play(seed)))
  }
  await Promise.all([next(), next()])
  return told
}

describe("a task whose runner is killed while it passes to another account", () => {
  it("passes once, is done by the other, and loses and doubles nothing", async () => {
    await server.call("PUT", "/api/v1/config/provider-fallback-order", { json: { order: ["first", "second"] } })
    const told = await playAll(async (seed) => {
      const { run, steps, events } = await killed(seed, { models: ["small"], until: OVER })
      const where = `seed ${seed}: ${JSON.stringify(events.map(({ type, model }) => [type, model]))}`
      expect(run, where).toMatchObject({ status: "completed" })
      expect(steps, where).toBe(all)
      const of = (type: string) => events.filter((event) => event.type === type)
      expect(of("provider_switched"), where).toMatchObject([{ from_account: "first", to_account: "second" }])
      expect(of("context_condensed"), where).toHaveLength(1)
      expect(of("run_completed"), where).toHaveLength(1)
      const at = events.findIndex(({ type }) => type === "provider_switched")
      const turns = events.map(({ type, model }, index) => (type === "agent_turn_started" ? [index > at, model] : []))
      for (const [isAfter, model] of turns.filter(({ length }) => length > 0)) {
        expect(model, where).toBe(isAfter ? "large" : "small")
      }
      return events
    })
    expect(told.map(({ type }) => type)).toContain("run_relaunched")
  })
})

describe("a task whose runner is killed while it waits for its limit's reset", () => {
  it("goes on by itself, once for each time that it waited, and loses and doubles nothing", async () => {
    await server.call("PUT", "/api/v1/config/provider-fallback-order", { json: { order: [] } })
    const settings = [{ event: "session_usage", threshold: 100, action: "await_reset" }]
    const set = await server.call("PUT", "/api/v1/config/action-settings", { json: { settings } })
    expect(set.status, set.text).toBe(200)
    const told = await playAll(async (seed) => {
      const { run, steps, events } = await killed(seed, { turns: 1 })
      const where = `seed ${seed}: ${JSON.stringify(events.map(({ type, model }) => [type, model]))}`
      expect(run, where).toMatchObject({ status: "completed" })
      expect(steps, where).toBe(all)
      const of = (type: string) => events.filter((event) => event.type === type)
      expect(of("provider_switched"), where).toEqual([])
      expect(of("run_resumed"), where).toHaveLength(of("run_parked").length)
      expect(of("run_completed"), where).toHaveLength(1)
      // Each wait continues once: no two claims have the same generation.
      const claims = of("run_claimed").map(({ generation }) => generation)
      expect(claims, where).toEqual([...new Set(claims)])
      return events
    })
    for (const type of ["run_parked", "run_relaunched"]) expect(told.map((event) => event.type)).toContain(type)
  })
})
