import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeRepository } from "../agents/repository.ts"
import { startServer, type TestServer } from "../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const open = async (about: object = {}) => (await server.call("POST", "/api/v1/sessions", { json: about })).body
const mock = (knobs: object) => ({ coding_agent: "mock", task_description: `Try it. mock: ${JSON.stringify(knobs)}` })
const give = (id: string, json: object) => server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })
const ended = async (runId: string) => (await server.call("GET", `/v1/runs/${runId}?wait=50`)).body

describe("a task for an agent", () => {
  it("is done in a terminal, told step by step, and its files are the session's", async () => {
    const { id } = await open()
    const given = await give(id, mock({ files: { "src/a.txt": "made\n" }, say: "I make a file." }))
    expect(given).toMatchObject({ status: 201, body: { session_id: id, status: "pending" } })
    const { task_id } = given.body
    expect(await ended(task_id)).toMatchObject({ status: "completed", model: "mock/default", workspace_version: 1 })
    const file = await server.call("GET", `/workspace/file?path=src/a.txt&workspace_id=${id}`)
    expect(file.body.content).toBe("made\n")
    const task = await server.call("GET", `/api/v1/sessions/${id}/tasks/${task_id}`)
    expect(task.body).toMatchObject({ status: "completed", result: "The mock agent did what its task says." })
    const { body: conversation } = await server.call("GET", `/api/v1/sessions/${id}/conversation`)
    expect(conversation.task).toMatchObject({ coding_provider: "mock", coding_account: null, project_path: null })
    expect(conversation.items.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(["user", "assistant", "milestone"]),
    )
    const { body: milestones } = await server.call("GET", `/api/v1/sessions/${id}/milestones`)
    expect(milestones.milestones).toMatchObject([{ milestone_type: "coding_complete" }])
    expect(server.reported).toEqual([])
  })

  it("works in a worktree of a repository of this machine, of which the checkout stays as it is", async () => {
    const repository = makeRepository(join(dirname(server.folder), "theirs"))
    const { id, repository: told } = await open({ project_path: repository.folder })
    expect(told).toBe(repository.folder)
    const { body } = await give(id, mock({ files: { "new.txt": "new\n" } }))
    expect(await ended(body.task_id)).toMatchObject({ status: "completed" })
    expect(repository.git("status", "--porcelain")).toBe("")
    expect(repository.git("log", "--all", "--name-only", "--format=")).toContain("new.txt")
  })
})
