import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readFrames } from "../../agents/frames.ts"
import { makeRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const mock = (knobs: object) => ({ coding_agent: "mock", task_description: `Try it. mock: ${JSON.stringify(knobs)}` })
const give = (id: string, json: object) => server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })
const say = (id: string, json: object) => server.call("POST", `/api/v1/sessions/${id}/messages`, { json })

/** Resolves once the session's stream contains an event with these fields. */
async function seen(id: string, fields: Record<string, unknown>): Promise<void> {
  for await (const { data } of readFrames(server, `/api/v1/sessions/${id}/stream`)) {
    if (Object.entries(fields).every(([name, value]) => data[name] === value)) return
  }
}

async function openRepository(name: string) {
  const repository = makeRepository(join(dirname(server.folder), name))
  return { repository, session: await openSession(server, repository.folder) }
}

describe("two agents of a session", () => {
  it("work at once, each in a worktree of its own, and each gets the messages that are for it", async () => {
    const { repository, session } = await openRepository("two")
    const { id } = session
    await session.task({ files: { "main.txt": "main\n" } })
    const busy = await give(id, mock({ hangs: true }))
    expect(busy).toMatchObject({ status: 201, body: { agent_id: "main", worktree: "main" } })
    await seen(id, { type: "agent_session_opened", run_id: busy.body.task_id })
    const other = await give(id, { ...mock({ files: { "api.txt": "api\n" } }), agent_id: "api", worktree: "api" })
    expect(other).toMatchObject({ status: 201, body: { agent_id: "api", worktree: "api" } })

    expect(await server.ended(other.body.task_id)).toMatchObject({ status: "completed", agent_id: "api" })
    expect((await server.call("GET", `/v1/runs/${busy.body.task_id}`)).body.status).toBe("running")
    expect(await say(id, { content: "Which of you?", agent_id: "api" })).toMatchObject({ status: 400 })
    expect(await say(id, { content: "Go on." })).toMatchObject({ status: 200 })
    await seen(id, { type: "user_message", source: "ui" })
    await server.call("POST", `/v1/runs/${busy.body.task_id}/cancel`)
    await server.ended(busy.body.task_id)

    const events = await session.events()
    const said = events.flatMap((event) => (event.type === "user_message" ? [[event.agent_id, event.source]] : []))
    expect(said).toEqual([
      ["main", "task"],
      ["main", "task"],
      ["api", "task"],
      ["main", "ui"],
    ])
    const status = await session.ask("GET", "?worktree=api")
    expect(status.body).toMatchObject({ exists: true, has_changes: true, branch: expect.stringMatching(/\.api$/) })
    const { body: diff } = await session.ask("GET", "/diff?worktree=api")
    expect(diff.files.map(({ new_path }: { new_path: string }) => new_path)).toEqual(["api.txt"])
    const { body: mine } = await session.ask("GET", "/diff")
    expect(mine.files.map(({ new_path }: { new_path: string }) => new_path)).toEqual(["main.txt"])

    const merged = await session.ask("POST", "/merge?worktree=api", { json: { delete_worktree: true } })
    expect(merged.body).toMatchObject({ status: "merged", worktree_deleted: true })
    expect(repository.git("ls-tree", "--name-only", "main").trim().split("\n")).toEqual(["README.md", "api.txt"])
    expect((await session.ask("GET")).body).toMatchObject({ exists: true, has_changes: true })
    const { body: conversation } = await server.call("GET", `/api/v1/sessions/${id}/conversation?agent_id=main`)
    expect(conversation.task.task_id).toBe(busy.body.task_id)
    expect(server.reported).toEqual([])
  })
})

describe("a second agent", () => {
  it("is refused in another's worktree, in one whose name is told apart only by case, and while it works", async () => {
    const { session } = await openRepository("refused")
    const { id } = session
    const { body } = await give(id, { ...mock({ hangs: true }), agent_id: "api", worktree: "api" })
    const here = await give(id, { ...mock({}), agent_id: "web", worktree: "api" })
    expect(here.body.error).toMatchObject({ code: "run_active", details: { worktree: "api" } })
    const twice = await give(id, { ...mock({}), agent_id: "api", worktree: "web" })
    expect(twice.body.error).toMatchObject({ code: "run_active", details: { run_id: body.task_id } })
    const alike = await give(id, { ...mock({}), agent_id: "web", worktree: "API" })
    expect(alike.body.error).toMatchObject({ code: "task_invalid", details: { worktree: "api" } })
    await server.call("POST", `/v1/runs/${body.task_id}/cancel`)
    await server.ended(body.task_id)
  })
})
