import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { makeRepository } from "../../agents/repository.ts"
import { planModel, type TeamPlan } from "../../agents/team-plan.ts"
import { startServer, type TestServer } from "../../server.ts"

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
        { id: "after", worker: "Eve", deps: ["first"], task: "Write after.txt" },
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
      { id: "after", status: "completed" },
    ])
    const told = async (at: number) =>
      JSON.stringify((await server.call("GET", `/v1/runs/${board.nodes[at].run_id}/events?limit=1000`)).body)
    expect(await told(1)).toContain("<goal>\\nCount\\n</goal>")
    expect(await told(1)).toContain("The result of notes, in nodes/notes/published")
    expect(await told(2)).toContain("The result of first, by Ada: The mock agent did what its task says.")
    expect(await told(3)).toMatch(/The result of first, in nodes\/first\/published.*changes\.diff:\\n/)
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

  it("takes their questions to people, and their messages to the coordinator; stopped, it goes on in the same worktree", async () => {
    const repository = makeRepository(join(dirname(server.folder), "asked"))
    const messages = [{ name: "send_message", args: { to: "coordinator", content: "Nearly done." } }]
    plan = {
      workers: [{ name: "Ada", type: "mock" }],
      nodes: [
        {
          id: "asked",
          worker: "Ada",
          deps: [],
          task: knobs({
            tools: messages,
            files: { "a.txt": "A\n" },
          }),
        },
      ],
    }
    const { body: team } = await server.call("POST", "/api/v1/teams", {
      json: { goal: "Ask", coding_agents: ["mock"], permission_mode: "ask", project_path: repository.folder },
    })
    const path = `/api/v1/teams/${team.id}`
    const question = async () => (await server.call("GET", `/api/v1/sessions/${team.id}/questions`)).body.questions?.[0]
    await expect.poll(question).toMatchObject({ agent_id: expect.stringMatching(/^wkr_/) })
    const { body: waits } = await server.call("GET", `${path}/board`)
    expect(waits).toMatchObject({ team: { status: "waiting_for_human" }, workers: [{ status: "waiting_for_human" }] })
    await server.call("POST", `${path}/stop`)
    const node = async () => (await server.call("GET", `${path}/board`)).body.nodes[0].status
    await expect.poll(node).toBe("assigned")
    expect(await question()).toBeUndefined()
    await server.call("POST", `${path}/resume`)
    await expect.poll(question).toBeDefined()
    const { question_id } = await question()
    const answer = { choice: "allow" }
    const answered = await server.call("POST", `/api/v1/sessions/${team.id}/questions/${question_id}/answer`, {
      json: answer,
    })
    expect(answered.status).toBeLessThan(300)
    expect((await server.ended(team.run_id)).status).toBe("completed")
    const { body: said } = await server.call("GET", `${path}/messages`)
    expect(said.messages).toContainEqual(expect.objectContaining({ to: "coordinator", content: "Nearly done." }))
    expect(repository.git("show", "main:a.txt")).toBe("A\n")
    expect(server.reported).toEqual([])
  })

  it("waits with its merges for a worker that a person has told something", async () => {
    const repository = makeRepository(join(dirname(server.folder), "told"))
    plan = {
      workers: [
        { name: "Ada", type: "mock" },
        { name: "Lin", type: "mock" },
      ],
      nodes: [
        { id: "first", worker: "Ada", deps: [], task: knobs({ files: { "ada.txt": "A\n" } }) },
        { id: "second", worker: "Lin", deps: ["first"], task: knobs({ files: { "lin.txt": "L\n" } }) },
      ],
    }
    const { body: team } = await server.call("POST", "/api/v1/teams", {
      json: { goal: "Wait", coding_agents: ["mock"], permission_mode: "ask", project_path: repository.folder },
    })
    const session = `/api/v1/sessions/${team.id}`
    const asking = async () => (await server.call("GET", `${session}/questions`)).body.questions?.[0]
    const allow = async (path: string) => {
      await expect.poll(asking).toMatchObject({ question: { paths: [path] } })
      await server.call("POST", `${session}/questions/${(await asking()).question_id}/answer`, {
        json: { choice: "allow" },
      })
    }
    await allow("ada.txt")
    await expect.poll(asking).toMatchObject({ question: { paths: ["lin.txt"] } })
    const content = knobs({ files: {}, hangs: true })
    expect((await server.call("POST", `${session}/agents/Ada/messages`, { json: { content } })).status).toBe(202)
    await allow("lin.txt")
    const parked = async () => (await server.call("GET", `${session}/events?event_types=run_parked`)).body.events
    await expect.poll(parked).toContainEqual(expect.objectContaining({ reason: "an agent is working in Ada" }))
    await server.call("POST", `${session}/agents/Ada/interrupt`, { json: {} })
    expect((await server.ended(team.run_id)).status).toBe("completed")
    expect(repository.git("show", "main:ada.txt") + repository.git("show", "main:lin.txt")).toBe("A\nL\n")
    expect(server.reported).toEqual([])
  })

  it("ends its programs with the team, and gives their nodes up", async () => {
    const { folder } = makeRepository(join(dirname(server.folder), "cancelled"))
    const task = knobs({ files: { "a.txt": "A\n" } })
    plan = { workers: [{ name: "Ada", type: "mock" }], nodes: [{ id: "asked", worker: "Ada", deps: [], task }] }
    const json = { goal: "Ask", coding_agents: ["mock"], permission_mode: "ask", project_path: folder }
    const { body: team } = await server.call("POST", "/api/v1/teams", { json })
    const questions = async () => (await server.call("GET", `/api/v1/sessions/${team.id}/questions`)).body.questions
    await expect.poll(questions).toHaveLength(1)
    await server.call("POST", `/v1/runs/${team.run_id}/cancel`)
    const board = async () => (await server.call("GET", `/api/v1/teams/${team.id}/board`)).body
    const ended = { team: { status: "stopped" }, nodes: [{ status: "failed" }], workers: [{ status: "idle" }] }
    await expect.poll(board).toMatchObject(ended)
    expect(await questions()).toEqual([])
    expect(server.reported).toEqual([])
  })

  it("takes a repository for them, and programs that there are", async () => {
    const ask = (json: object) => server.call("POST", "/api/v1/teams", { json: { goal: "Count", ...json } })
    expect((await ask({ coding_agents: ["mock"] })).body.error).toMatchObject({ code: "task_invalid" })
    const { folder } = makeRepository(join(dirname(server.folder), "refused"))
    expect((await ask({ coding_agents: ["nobody"], project_path: folder })).body.error.code).toBe("task_invalid")
  })

  itDeep("stops them when the time of their stage is up, at work or asking, and tells its coordinator", async () => {
    const { folder } = makeRepository(join(dirname(server.folder), "timed"))
    const stage = { stage: "draft", contract: { timeout_seconds: 15 } }
    plan = {
      workers: [
        { name: "Ada", type: "mock" },
        { name: "Lin", type: "mock" },
      ],
      nodes: [
        { id: "slow", worker: "Ada", deps: [], task: knobs({ duration_ms: 3_600_000 }), ...stage },
        { id: "asked", worker: "Lin", deps: [], task: knobs({ questions: ["Bash"] }), ...stage },
      ],
    }
    const json = { goal: "Hurry", coding_agents: ["mock"], permission_mode: "ask", project_path: folder }
    const { body: team } = await server.call("POST", "/api/v1/teams", { json })
    expect((await server.ended(team.run_id)).status).toBe("completed")
    const { body: board } = await server.call("GET", `/api/v1/teams/${team.id}/board`)
    const failed = { status: "failed", result: "The stage draft timed out." }
    expect(board.nodes).toMatchObject([failed, failed])
    for (const { run_id } of board.nodes) {
      expect((await server.ended(run_id)).status).toBe("cancelled")
    }
    expect((await server.call("GET", `/api/v1/sessions/${team.id}/questions`)).body.questions).toEqual([])
    expect(server.reported).toEqual([])
  })

  itDeep("tells its coordinator of a conflict, and leaves no merge waiting", async () => {
    const repository = makeRepository(join(dirname(server.folder), "conflict"), { "count.txt": "one\n" })
    const writes = (text: string) => knobs({ files: { "count.txt": text } })
    plan = {
      workers: [
        { name: "Ada", type: "mock" },
        { name: "Lin", type: "mock" },
      ],
      nodes: [
        { id: "first", worker: "Ada", deps: [], task: writes("two\n") },
        { id: "second", worker: "Lin", deps: [], task: writes("three\n") },
      ],
    }
    const json = { goal: "Count", coding_agents: ["mock"], project_path: repository.folder }
    const { body: team } = await server.call("POST", "/api/v1/teams", { json })
    const question = async () => (await server.call("GET", `/api/v1/sessions/${team.id}/questions`)).body.questions?.[0]
    await expect.poll(question).toMatchObject({
      question: {
        text: expect.stringMatching(/Some work couldn't be merged\. The merge queue stopped at (Ada|Lin): .*conflict/),
      },
    })
    const merges = async () => {
      const of = (name: string) => server.settled("GET", `/api/v1/sessions/${team.id}/worktree?worktree=${name}`)
      return Promise.all(["Ada", "Lin"].map(async (name) => (await of(name)).body.merge ?? null))
    }
    await expect.poll(merges).toEqual([null, null])
    expect(repository.git("show", "main:count.txt")).toMatch(/^(two|three)\n$/)
    await server.call("POST", `/v1/runs/${team.run_id}/cancel`)
    expect((await server.ended(team.run_id)).status).toBe("cancelled")
  })
})
