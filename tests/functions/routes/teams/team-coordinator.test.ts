import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { answerOf } from "../../../core/work/teams/team-model.ts"
import { itDeep } from "../../../depth.ts"
import { createScriptedProvider } from "../../../fixtures/scripted-model.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer({ scripted: worker })
})
afterAll(() => server.close())

type Call = { name: string; args: object }

const knobs = (tools: Call[]) => `mock: ${JSON.stringify({ tools, files: {}, summary: false })}`
const finish = knobs([{ name: "finish", args: { summary: "All is there." } }])

/** A harnessed worker. Its summary tells the mock coordinator what to do next. */
const worker = createScriptedProvider(({ messages }) => {
  const isWritten = messages.length > 1
  const next = isWritten
    ? ["publish", { summary: `Written. ${finish}` }]
    : ["write_file", { path: "tea.txt", content: "Tea.\n" }]
  return answerOf([next as [string, Record<string, unknown>]], messages.length)
})

const plan: Call[] = [
  { name: "spawn_worker", args: { name: "Ada", role: "Writes" } },
  { name: "create_work_node", args: { node_id: "tea", task: "Write tea.txt", stage: "First" } },
  { name: "create_work_node", args: { node_id: "tea", task: "Again" } },
  { name: "assign_worker", args: { node_id: "tea", worker_id: "Ada" } },
  { name: "memory_write", args: { path: "knowledge/tea.md", content: "# Tea\n\nIt is hot.\n" } },
]

describe("a team that a program coordinates", () => {
  it("is planned by its calls over MCP, woken by a node's end, and finished by it", async () => {
    const json = { goal: `Tea. ${knobs(plan)}`, model: "mock/big", consent: true }
    const { status, body: team } = await server.call("POST", "/api/v1/teams", { json })
    expect(status).toBe(201)
    expect((await server.ended(team.run_id)).status).toBe("completed")

    const { body: board } = await server.call("GET", `/api/v1/teams/${team.id}/board`)
    expect(board.nodes).toMatchObject([{ id: "tea", status: "completed", published_files: ["tea.txt"] }])
    expect(board.team).toMatchObject({ status: "completed", coordinator: "mock/big" })
    const { body: agents } = await server.call("GET", `/api/v1/sessions/${team.id}/agents`)
    const [agent] = agents.agents.filter(({ name }: { name: string }) => name === "Coordinator")
    expect(agent).toMatchObject({ worktree: "Coordinator", status: "idle" })
    const { body: told } = await server.call("GET", `/api/v1/sessions/${team.id}/agents/Coordinator/messages`)
    const said = JSON.stringify(told)
    expect(said).toContain("Created tea.")
    expect(said).toContain("There is already a node tea.")
    const { body: memory } = await server.call("GET", `/api/v1/teams/${team.id}/memory?path=knowledge/tea.md`)
    expect(memory.content).toContain("It is hot.")
    expect(server.reported).toEqual([])
  })

  itDeep("is interrupted by a stop, and goes on in its conversation when the team does", async () => {
    const json = {
      goal: `Ask. mock: ${JSON.stringify({ questions: ["Bash"], tools: [{ name: "finish", args: { summary: "Asked." } }], files: {} })}`,
      ...{ coordinator: "mock", permission_mode: "ask" },
    }
    const { body: team } = await server.call("POST", "/api/v1/teams", { json })
    const path = `/api/v1/teams/${team.id}`
    const question = async () => (await server.call("GET", `/api/v1/sessions/${team.id}/questions`)).body.questions?.[0]
    await expect.poll(question).toMatchObject({ agent_id: expect.stringMatching(/^agt_/) })
    await server.call("POST", `${path}/stop`)
    await expect.poll(question).toBeUndefined()
    await server.call("POST", `${path}/resume`)
    await expect.poll(question).toBeDefined()
    const { question_id } = await question()
    const answer = `/api/v1/sessions/${team.id}/questions/${question_id}/answer`
    expect((await server.call("POST", answer, { json: { choice: "allow" } })).status).toBeLessThan(300)
    expect((await server.ended(team.run_id)).status).toBe("completed")
    const { body: events } = await server.call("GET", `${path}/events`)
    expect(events.filter(({ type }: { type: string }) => type === "agent.completed")).toHaveLength(1)
    expect(server.reported).toEqual([])
  })

  it("is refused what it calls after the goal is reached, at once", async () => {
    const after = ["check_board", "create_work_node"].map((name) => ({ name, args: { task: "Late" } }))
    const calls = [{ name: "finish", args: { summary: "Done." } }, ...after]
    const { body: team } = await server.call("POST", "/api/v1/teams", {
      json: { goal: `End. ${knobs(calls)}`, coordinator: "mock" },
    })
    expect((await server.ended(team.run_id)).status).toBe("completed")
    const { body: told } = await server.call("GET", `/api/v1/sessions/${team.id}/agents/Coordinator/messages`)
    expect(JSON.stringify(told)).toMatch(/already been declared reached[\s\S]*already been declared reached/)
    const { body: board } = await server.call("GET", `/api/v1/teams/${team.id}/board`)
    expect(board.nodes).toEqual([])
  })

  it("is told nothing during its turn, so that none begins after the one in which it finishes", async () => {
    const knobs = JSON.stringify({
      questions: ["Bash"],
      tools: [{ name: "finish", args: { summary: "Done." } }],
      files: {},
    })
    const { body: team } = await server.call("POST", "/api/v1/teams", {
      json: { goal: `Ask. mock: ${knobs}`, coordinator: "mock", permission_mode: "ask" },
    })
    const path = `/api/v1/sessions/${team.id}`
    const questions = async () => (await server.call("GET", `${path}/questions`)).body.questions
    const events = async (...types: string[]) => {
      const { body } = await server.call("GET", `${path}/events?limit=1000`)
      return body.events.filter(({ type }: { type: string }) => types.includes(type))
    }
    await expect.poll(questions).toHaveLength(1)
    await server.call("POST", `/api/v1/teams/${team.id}/send`, { json: { message: "How far are you?" } })
    // Resolves to true once the team's run has parked again after the message.
    const looks = async () => {
      const all = await events("team_message_sent", "run_parked")
      const sent = all.findIndex(({ type }: { type: string }) => type === "team_message_sent")
      return sent >= 0 && all.slice(sent).some(({ run_id }: { run_id?: string }) => run_id === team.run_id)
    }
    await expect.poll(looks).toBe(true)
    const [{ question_id }] = await questions()
    await server.call("POST", `${path}/questions/${question_id}/answer`, { json: { choice: "allow" } })
    expect((await server.ended(team.run_id)).status).toBe("completed")
    expect(await events("agent_message_queued")).toHaveLength(1)
    expect(await events("agent_turn_started")).toHaveLength(1)
    expect(server.reported).toEqual([])
  })

  it("is resumed by a message to it, which it reads in a turn that nobody cancels", async () => {
    const knobs = JSON.stringify({ questions: ["Bash"], files: {} })
    const { body: team } = await server.call("POST", "/api/v1/teams", {
      json: { goal: `Ask. mock: ${knobs}`, coordinator: "mock", permission_mode: "ask" },
    })
    const path = `/api/v1/sessions/${team.id}`
    const questions = async () => (await server.call("GET", `${path}/questions`)).body.questions
    await expect.poll(questions).toHaveLength(1)
    await server.call("POST", `/api/v1/teams/${team.id}/stop`)
    await expect.poll(questions).toEqual([])
    const { status } = await server.call("POST", `${path}/agents/Coordinator/messages`, { json: { content: finish } })
    expect(status).toBe(202)
    expect((await server.ended(team.run_id)).status).toBe("completed")
    const { body } = await server.call("GET", `${path}/events?limit=1000`)
    const types = body.events.map(({ type }: { type: string }) => type)
    expect(types.filter((type: string) => type === "run_cancelled")).toHaveLength(1)
    expect(types).toContain("team_resumed")
    expect(server.reported).toEqual([])
  })

  itDeep("is reminded once that nothing is under way, and then a person is asked with its last words", async () => {
    const { body: team } = await server.call("POST", "/api/v1/teams", {
      json: { goal: `Nothing. ${knobs([])}`, coordinator: "mock" },
    })
    const path = `/api/v1/teams/${team.id}`
    const status = async () => (await server.call("GET", path)).body.status
    const turns = async () => {
      const { body } = await server.call("GET", `/api/v1/sessions/${team.id}/events?limit=500`)
      return body.events.filter(({ type }: { type: string }) => type === "agent_turn_finished").length
    }
    await expect.poll(turns).toBe(2)
    await expect.poll(status).toBe("waiting_for_human")
    expect(await turns()).toBe(2)
    const { questions } = (await server.call("GET", `/api/v1/sessions/${team.id}/questions`)).body
    expect(questions).toMatchObject([{ kind: "text", question: { text: expect.stringContaining("Its last words:") } }])
    await server.call("POST", `/v1/runs/${team.run_id}/cancel`)
  })

  it("fails its team where it fails, and is refused where there is none of that name", async () => {
    const json = {
      goal: `Fail. mock: ${JSON.stringify({ fails: { status: 400, message: "Broken." } })}`,
      coordinator: "mock",
    }
    const { body: team } = await server.call("POST", "/api/v1/teams", { json })
    const { status, error } = await server.ended(team.run_id)
    expect([status, error.message]).toEqual([
      "failed",
      expect.stringMatching(/^The coordinator, mock\/default, failed/),
    ])
    const none = await server.call("POST", "/api/v1/teams", { json: { goal: "Tea", coordinator: "nobody" } })
    expect(none.body.error.code).toBe("task_invalid")
    const two = { goal: "Tea", coordinator: "mock", model: "claude-code/opus" }
    expect((await server.call("POST", "/api/v1/teams", { json: two })).status).toBe(422)
  })
})
