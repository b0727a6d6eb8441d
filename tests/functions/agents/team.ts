import { expect } from "vitest"
import type { TestServer } from "../server.ts"
import { makeRepository, type TestRepository } from "./repository.ts"
import { openSession } from "./worktree-session.ts"

/** Opens a session in a new repository for agents that each have their own worktree. */
export async function openTeam(server: TestServer, folder: string, files: Record<string, string>) {
  const repository: TestRepository = makeRepository(folder, files)
  const session = await openSession(server, repository.folder)
  const path = `/api/v1/sessions/${session.id}`

  async function add(name: string): Promise<void> {
    const json = { name, coding_agent: "mock", mode: "bypass", consent: true }
    const { status } = await server.call("POST", `${path}/agents`, { json })
    expect([201, 409]).toContain(status)
  }

  async function untilIdle(name: string): Promise<string> {
    for (;;) {
      const { status, body } = await server.call("GET", `${path}/agents/${name}/wait?seconds=50`)
      if (status === 200) return body.text
    }
  }

  return {
    repository,
    session,
    path,
    untilIdle,
    /** Sends a task to an agent. Adds the agent first if needed. */
    async tell(name: string, knobs: object): Promise<void> {
      await add(name)
      const content = `Do it. mock: ${JSON.stringify({ summary: false, files: {}, ...knobs })}`
      expect((await server.call("POST", `${path}/agents/${name}/messages`, { json: { content } })).status).toBe(202)
    },
    /** Sends a task to an agent and resolves to the agent's last message. */
    async work(name: string, knobs: object): Promise<string> {
      await this.tell(name, knobs)
      return untilIdle(name)
    },
    async train(json: object) {
      const { status, body } = await server.call("POST", `${path}/merge-trains`, { json })
      expect(status).toBe(201)
      const run = await server.ended(body.run_id)
      return { run, steps: (await server.call("GET", `${path}/merge-trains/${body.run_id}`)).body.steps }
    },
    subjects: () => repository.git("log", "--format=%s", "main").trim().split("\n"),
  }
}
