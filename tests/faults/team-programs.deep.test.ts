import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeRepository } from "../functions/agents/repository.ts"
import { planModel, type TeamPlan } from "../functions/agents/team-plan.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { cases } from "../settings.ts"
import { killRunner } from "./kill-runner.ts"
import { seeded } from "./random.ts"

const knobs = (what: object) => `Do it. mock: ${JSON.stringify(what)}`
const plan: TeamPlan = {
  workers: [
    { name: "Ada", type: "mock" },
    { name: "Lin", type: "mock" },
  ],
  nodes: [
    { id: "one", worker: "Ada", deps: [], task: knobs({ files: { "one.txt": "1\n" } }) },
    { id: "two", worker: "Lin", deps: ["one"], task: knobs({ files: { "two.txt": "2\n" } }) },
  ],
}

let server: TestServer
beforeAll(async () => {
  server = await startServer({ scripted: planModel(() => plan) })
})
afterAll(() => server.close())

/** About the number of this team's events. */
const EVENTS = 110

describe("a team of programs whose runner is killed", () => {
  it.each(Array.from({ length: cases({ usual: 1, deep: 20 }) }, (_, seed) => seed))(
    "completes each node once, and merges both (seed %i)",
    async (seed) => {
      const at = seeded(seed).between(10, EVENTS)
      const repository = makeRepository(join(dirname(server.folder), `killed-${seed}`))
      const json = { goal: "Two", coding_agents: ["mock"], project_path: repository.folder }
      const { body: team } = await server.call("POST", "/api/v1/teams", { json })
      const events = async () => {
        return (await server.call("GET", `/api/v1/sessions/${team.id}/events?limit=1000`)).body.events as {
          type: string
        }[]
      }
      const isOver = async () => (await server.call("GET", `/v1/runs/${team.run_id}`)).body.status === "completed"
      await expect.poll(async () => (await events()).length >= at || (await isOver()), { interval: 5 }).toBe(true)
      await killRunner(server, team.id)
      expect((await server.ended(team.run_id)).status).toBe("completed")

      const counts = (type: string) => events().then((all) => all.filter((event) => event.type === type).length)
      expect(await counts("work_node_completed")).toBe(2)
      expect(await counts("work_node_failed")).toBe(0)
      expect(await counts("team_finished")).toBe(1)
      const files = repository.git("ls-tree", "--name-only", "main").trim().split("\n")
      expect(files).toEqual(["README.md", "one.txt", "two.txt"])
      expect(server.reported).toEqual([])
      // Free the runner's place, because a server's places are limited.
      await server.call("DELETE", `/api/v1/sessions/${team.id}`)
    },
  )
})

interface Call {
  name: string
  args: object
}
const coordinated = (tools: Call[]) => `mock: ${JSON.stringify({ tools, files: {}, summary: false })}`
const finish = coordinated([{ name: "finish", args: { summary: "Both are there." } }])
const calls: Call[] = [
  { name: "spawn_worker", args: { name: "Ada", role: "Works", type: "mock" } },
  { name: "create_work_node", args: { node_id: "one", task: knobs({ files: { "one.txt": "1\n" }, say: finish }) } },
  { name: "create_work_node", args: { node_id: "two", task: "Later", deps: ["one"] } },
  { name: "memory_write", args: { path: "notes.md", content: "# One\n" } },
  { name: "assign_worker", args: { node_id: "one", worker_id: "Ada" } },
]

describe("a program that coordinates, whose runner is killed in the middle of a call", () => {
  it.each(calls.map(({ name }, at) => [name, at + 1] as const))("doubles nothing (%s)", async (_, nth) => {
    const repository = makeRepository(join(dirname(server.folder), `coordinated-${nth}`))
    const { body: team } = await server.call("POST", "/api/v1/teams", {
      json: {
        ...{ goal: `Two. ${coordinated(calls)}`, coordinator: "mock", coding_agents: ["mock"], consent: true },
        project_path: repository.folder,
      },
    })
    const events = async () => {
      return (await server.call("GET", `/api/v1/sessions/${team.id}/events?limit=1000`)).body.events as {
        type: string
        name?: string
      }[]
    }
    const called = async () => (await events()).filter(({ type }) => type === "team_tool_called").length
    await expect.poll(called, { interval: 5 }).toBeGreaterThanOrEqual(nth)
    await killRunner(server, team.id)
    const board = async () => (await server.call("GET", `/api/v1/teams/${team.id}/board`)).body
    await expect.poll(async () => (await board()).nodes[0]?.status).toBe("completed")
    await server.call("POST", `/api/v1/sessions/${team.id}/agents/Coordinator/messages`, { json: { content: finish } })
    expect((await server.ended(team.run_id)).status).toBe("completed")

    const counts = (type: string) => events().then((all) => all.filter((event) => event.type === type).length)
    expect(await counts("team_tool_answered")).toBe(await called())
    expect((await board()).nodes.map(({ id }: { id: string }) => id)).toEqual(["one", "two"])
    for (const type of ["worker_spawned", "work_node_started", "work_node_completed", "team_finished"])
      expect([type, await counts(type)]).toEqual([type, 1])
    expect(repository.git("show", "main:one.txt")).toBe("1\n")
    expect(server.reported).toEqual([])
    await server.call("DELETE", `/api/v1/sessions/${team.id}`)
  })
})
