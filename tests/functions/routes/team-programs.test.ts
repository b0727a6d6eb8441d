import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeRepository } from "../agents/repository.ts"
import { planModel, type TeamPlan } from "../agents/team-plan.ts"
import { startServer, type TestServer } from "../server.ts"

let plan: TeamPlan
let server: TestServer
beforeAll(async () => {
  server = await startServer({ scripted: planModel(() => plan) })
})
afterAll(() => server.close())

const knobs = (what: object) => `Do it. mock: ${JSON.stringify(what)}`

describe("a team with programs as workers", () => {
  it("has them work in worktrees, the later one with the earlier one's work, and ends in merges", async () => {
    const repository = makeRepository(join(dirname(server.folder), "merged"), { "count.txt": "one\n" })
    plan = {
      workers: [
        { name: "Ada", type: "mock" },
        { name: "Lin", type: "mock" },
        { name: "Eve", type: "harnessed" },
      ],
      nodes: [
        { id: "notes", worker: "Eve", deps: [], task: "Write notes.txt" },
        { id: "first", worker: "Ada", deps: ["notes"], task: knobs({ files: { "count.txt": "two\n" } }) },
        {
          id: "second",
          worker: "Lin",
          deps: ["first"],
          task: knobs({ edits: [{ path: "count.txt", from: "two", to: "three" }], files: { "lin.txt": "Lin\n" } }),
        },
      ],
    }
    const json = { goal: "Count", coding_agents: ["mock"], project_path: repository.folder, consent: true }
    const { status, body: team } = await server.call("POST", "/api/v1/teams", { json })
    expect(status).toBe(201)
    expect((await server.ended(team.run_id)).status).toBe("completed")

    const { body: board } = await server.call("GET", `/api/v1/teams/${team.id}/board`)
    expect(board.nodes).toMatchObject([
      { id: "notes", status: "completed", published_files: ["notes.txt"] },
      { id: "first", status: "completed", result: "The mock agent did what its task says." },
      { id: "second", status: "completed", published_files: ["changes.diff", "result.md"] },
    ])
    expect(board.workers).toMatchObject([
      { name: "Ada", type: "mock" },
      { name: "Lin", type: "mock" },
      { name: "Eve", type: "harnessed" },
    ])
    expect(repository.git("show", "main:count.txt")).toBe("three\n")
    expect(repository.git("show", "main:lin.txt")).toBe("Lin\n")
    const { body: agents } = await server.call("GET", `/api/v1/sessions/${team.id}/agents`)
    const programs = agents.agents.filter(({ agent_id }: { agent_id: string }) => agent_id.startsWith("wkr_"))
    expect(programs).toMatchObject([
      { name: "Ada", worktree: "Ada" },
      { name: "Lin", worktree: "Lin" },
    ])
    expect(server.reported).toEqual([])
  })
})
