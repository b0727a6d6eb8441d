import { existsSync } from "node:fs"
import { symlink } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { processesWith } from "../../../runner/agents/workshop.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Opens a session in which the mock agent asks before it carries out its task. */
async function asking(knobs: object, mode = "ask", more: object = {}, at = server) {
  const session = await openSession(at)
  const path = `/api/v1/sessions/${session.id}`
  const json = { coding_agent: "mock", task_description: `Do it. mock: ${JSON.stringify(knobs)}`, mode, ...more }
  const { body } = await at.call("POST", `${path}/tasks`, { json })
  return {
    ...session,
    task: body.task_id as string,
    /** Resolves to the open questions once there are any. */
    async questions() {
      return (await at.call("GET", `${path}/questions?wait=50`)).body.questions
    },
    waiting: async () => (await at.call("GET", `${path}/questions`)).body.questions,
    answer: (id: string, json: object) => at.call("POST", `${path}/questions/${id}/answer`, { json }),
    ended: () => at.ended(body.task_id),
    cancel: () => at.call("POST", `/v1/runs/${body.task_id}/cancel`),
    worktree: async () => (await session.ask("GET")).body.path as string,
    async types() {
      return (await session.events()).map(({ type }) => type)
    },
  }
}

describe("an agent that asks", () => {
  it("writes nothing before it may, and shows what it would write", async () => {
    const session = await asking({ files: { "a.txt": "one\ntwo\n" } })
    const [question] = await session.questions()
    expect(question).toMatchObject({
      run_id: session.task,
      agent_id: "main",
      question: { kind: "permission", tool: "write", name: "Write", paths: ["a.txt"], diff: "+one\n+two" },
    })
    expect(existsSync(`${await session.worktree()}/a.txt`)).toBe(false)
    expect((await session.answer(question.question_id, { choice: "allow" })).status).toBe(200)
    expect((await session.ended()).status).toBe("completed")
    expect(await session.files()).toMatchObject({ "a.txt": "one\ntwo\n" })
    expect(await session.waiting()).toEqual([])
  })

  it("does without what is denied, and is told why", async () => {
    const session = await asking({ files: { "a.txt": "one\n" } })
    const [question] = await session.questions()
    await session.answer(question.question_id, { choice: "deny", text: "Call it b.txt." })
    await session.ended()
    expect(await session.files()).toEqual({})
    expect(JSON.stringify(await session.events())).toContain("I was told: Call it b.txt.")
  })

  it("asks no more for edits after all were allowed, but still for commands", async () => {
    const session = await asking({ commands: ["true"], files: { "a.txt": "1", "b.txt": "2" } })
    const [command] = await session.questions()
    expect(command.question).toMatchObject({ tool: "bash", command: "true" })
    await session.answer(command.question_id, { choice: "allow" })
    const [write] = await session.questions()
    await session.answer(write.question_id, { choice: "allow_all" })
    await session.ended()
    expect(await session.files()).toEqual({ "a.txt": "1", "b.txt": "2" })
    const types = await session.types()
    expect(types.filter((type) => type === "question_asked")).toHaveLength(2)
    expect(types.filter((type) => type === "agent_permitted")).toHaveLength(1)
  })

  it("remembers for its session what was allowed for it, also in its next task", async () => {
    const session = await asking({ commands: ["echo a", "echo a"], files: {} })
    const [question] = await session.questions()
    expect(question.question.rule).toEqual({ tool: "bash", command: "echo a", exact: true, effect: "allow" })
    await session.answer(question.question_id, { choice: "allow_session" })
    await session.ended()
    const next = { commands: ["echo a", "echo a b"], files: {} }
    const json = { coding_agent: "mock", task_description: `Again. mock: ${JSON.stringify(next)}` }
    const { body } = await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json })
    const [second] = await session.questions()
    expect(second.question.command).toBe("echo a b")
    await session.answer(second.question_id, { choice: "deny" })
    await server.ended(body.task_id)
    expect((await session.types()).filter((type) => type === "question_asked")).toHaveLength(2)
  })

  it("is refused changes in plan mode, and nobody is asked", async () => {
    const session = await asking({ commands: ["touch x"], files: { "a.txt": "1" } }, "plan")
    await session.ended()
    expect(await session.files()).toEqual({})
    const types = await session.types()
    expect(types).not.toContain("question_asked")
    expect(types.filter((type) => type === "agent_refused")).toHaveLength(2)
  })

  it("needs no consent for its repository, where one that asks nothing does", async () => {
    const account = { name: "real", provider: "claude", api_key: "sk-ant-none", base_url: "http://127.0.0.1:9" }
    await server.call("POST", "/api/v1/accounts", { json: account })
    const session = await openSession(server)
    const give = (more: object) =>
      server.call("POST", `/api/v1/sessions/${session.id}/tasks`, {
        json: { coding_agent: "real", task_description: "Do it.", ...more },
      })
    expect(await give({})).toMatchObject({ status: 409, body: { error: { code: "consent_required" } } })
    const { status, body } = await give({ mode: "ask" })
    expect(status).toBe(201)
    await server.call("POST", `/v1/runs/${body.task_id}/cancel`)
    await server.ended(body.task_id)
  })
})

describe("a question", () => {
  it("is answered once, whoever else answers", async () => {
    const session = await asking({ files: { "a.txt": "1" } })
    const [question] = await session.questions()
    const choices = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? "allow" : "deny"))
    const given = await Promise.all(choices.map((choice) => session.answer(question.question_id, { choice })))
    expect(given.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    const won = choices[given.findIndex(({ status }) => status === 200)]
    const lost = given.find(({ status }) => status === 409)
    expect(lost?.body.error).toMatchObject({ code: "question_answered", details: { choice: won, by: "local" } })
    await session.ended()
    expect((await session.types()).filter((type) => type === "question_answered")).toHaveLength(1)
    expect(Object.keys(await session.files())).toEqual(won === "allow" ? ["a.txt"] : [])
  })

  it("is withdrawn when its run is cancelled, and can't be answered then", async () => {
    const session = await asking({ files: { "a.txt": "1" } })
    const [question] = await session.questions()
    await session.cancel()
    expect((await session.ended()).status).toBe("cancelled")
    expect(await session.waiting()).toEqual([])
    expect(await session.types()).toContain("question_withdrawn")
    const late = await session.answer(question.question_id, { choice: "allow" })
    expect([late.status, late.body.error.code]).toEqual([404, "question_not_found"])
    expect(await session.files()).toEqual({})
  })

  itDeep("that nobody asked isn't found, and nonsense is refused", async () => {
    const session = await asking({ files: { "a.txt": "1" } })
    const [question] = await session.questions()
    expect((await session.answer("que_none", { choice: "allow" })).status).toBe(404)
    for (const json of [{}, { choice: "perhaps" }, { choice: "deny", text: "x".repeat(5000) }]) {
      expect((await session.answer(question.question_id, json)).status).toBe(422)
    }
    expect(await session.waiting()).toHaveLength(1)
    await session.answer(question.question_id, { choice: "deny" })
    await session.ended()
  })

  it("is asked anew by the next runner, when its own dies", async () => {
    const session = await asking({ files: { "a.txt": "1" } })
    const [question] = await session.questions()
    const state = await server.core().sessions.find("local", session.id, { signal: new AbortController().signal })
    process.kill(Number(/\d+/.exec(state.state.runner.executor ?? "")), "SIGKILL")
    await expect
      .poll(async () => (await session.waiting())[0]?.question_id ?? question.question_id)
      .not.toBe(question.question_id)
    const [again] = await session.questions()
    expect((await session.answer(question.question_id, { choice: "allow" })).status).toBe(404)
    await session.answer(again.question_id, { choice: "allow" })
    expect((await session.ended()).status).toBe("completed")
    expect(await session.files()).toEqual({ "a.txt": "1" })
  })

  itDeep("is found among those of all sessions, the newest first", async () => {
    const sessions = [await asking({ files: { "a.txt": "1" } }), await asking({ files: { "b.txt": "1" } })]
    const ids: string[] = []
    for (const session of sessions) ids.push((await session.questions())[0].question_id)
    const all = async () =>
      (await server.call("GET", "/api/v1/questions?wait=50")).body.questions.map(
        ({ question_id }: { question_id: string }) => question_id,
      )
    await expect.poll(async () => [...(await all())].sort()).toEqual([...ids].sort())
    for (const [at, session] of sessions.entries()) {
      await session.answer(ids[at] ?? "", { choice: "deny" })
      await session.ended()
    }
    expect((await server.call("GET", "/api/v1/questions")).body.questions).toEqual([])
  })
})

describe("a link", () => {
  it("leads no edit that is accepted unseen out of the worktree", async () => {
    const session = await asking({ files: {} }, "accept_edits")
    await session.ended()
    await symlink(server.folder, `${await session.worktree()}/out`)
    const task = `Do it. mock: ${JSON.stringify({ files: { "out/planted.txt": "x" } })}`
    const json = { coding_agent: "mock", task_description: task }
    const { body } = await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json })
    const [question] = await session.questions()
    expect(question.question.paths).toEqual([`${server.folder}/planted.txt`])
    await session.answer(question.question_id, { choice: "deny" })
    await server.ended(body.task_id)
    expect(existsSync(`${server.folder}/planted.txt`)).toBe(false)
  })
})

describe("a question that nobody answers for long", () => {
  let patient: TestServer
  beforeAll(async () => {
    patient = await startServer({ env: { PARK_AFTER_SECONDS: "1" } })
  })
  afterAll(() => patient.close())

  async function parked(knobs: object) {
    const session = await asking(knobs, "ask", {}, patient)
    const [question] = await session.questions()
    const status = async () => (await patient.call("GET", `/v1/runs/${session.task}`)).body.status
    await expect.poll(status).toBe("parked")
    return { ...session, question, status }
  }
  const told = async ({ events }: { events(): Promise<{ type: string }[]> }) =>
    JSON.stringify((await events()).filter(({ type }) => type === "user_message"))

  it("leaves nothing running, and the answer starts the agent again, which may do just that", async () => {
    const session = await parked({ files: { "a.txt": "one\n" } })
    const shown = async () => (await patient.call("GET", `/api/v1/sessions/${session.id}`)).body
    expect(await shown()).toMatchObject({ status: "needs_input", active: true, paused: false })
    expect(await processesWith(`HOME=${patient.folder}/homes/`)).toEqual([])
    expect(await session.types()).toContain("agent_turn_finished")
    expect(await session.waiting()).toMatchObject([{ question_id: session.question.question_id }])
    expect((await session.answer(session.question.question_id, { choice: "allow" })).status).toBe(200)
    expect(await session.ended()).toMatchObject({ status: "completed" })
    expect(await session.files()).toMatchObject({ "a.txt": "one\n" })
    expect((await session.types()).filter((type) => type === "question_asked")).toHaveLength(1)
    expect(await told(session)).toContain("You asked: May I write a.txt?\\n\\nThe answer: Yes, this once.")
  })

  itDeep("tells the agent what to do instead", async () => {
    const session = await parked({ files: { "a.txt": "one\n" } })
    await session.answer(session.question.question_id, { choice: "deny", text: "Leave the files alone." })
    await expect.poll(() => told(session)).toContain("No. Instead: Leave the files alone.")
    await session.cancel()
  })

  itDeep("is asked anew where somebody resumes the run without an answer", async () => {
    const session = await parked({ files: { "a.txt": "one\n" } })
    await patient.call("POST", `/v1/runs/${session.task}/resume`)
    await expect.poll(async () => (await session.waiting())[0]?.question_id).not.toBe(session.question.question_id)
    await expect.poll(session.waiting).toHaveLength(1)
    expect(await session.answer(session.question.question_id, { choice: "allow" })).toMatchObject({ status: 404 })
    await session.cancel()
  })

  itDeep("is gone with its run", async () => {
    const session = await parked({ files: { "a.txt": "one\n" } })
    await session.cancel()
    expect((await session.ended()).status).toBe("cancelled")
    expect(await session.waiting()).toEqual([])
  })
})
