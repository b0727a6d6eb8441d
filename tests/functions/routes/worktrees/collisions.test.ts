import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

async function openRepository(name: string) {
  const files = { "shared.txt": "one\n", "README.md": "Mine.\n" }
  const repository = makeRepository(join(dirname(server.folder), name), files)
  const session = await openSession(server, repository.folder)
  const path = `/api/v1/sessions/${session.id}`
  return {
    repository,
    session,
    async agent(name: string, files: Record<string, string>): Promise<void> {
      const known = await server.call("GET", `${path}/agents/${name}`)
      const json = { name, coding_agent: "mock", mode: "bypass", consent: true }
      if (known.status === 404) expect((await server.call("POST", `${path}/agents`, { json })).status).toBe(201)
      const content = `Do it. mock: ${JSON.stringify({ summary: false, files })}`
      await server.call("POST", `${path}/agents/${name}/messages`, { json: { content } })
      await server.call("GET", `${path}/agents/${name}/wait?seconds=50`)
    },
    collisions: async () => (await server.call("GET", `${path}/collisions`)).body.collisions,
    conversation: async (name: string) =>
      (await server.call("GET", `${path}/agents/${name}`)).body.queue as { content: string }[],
  }
}

describe("worktrees of a session", () => {
  it("are known to collide before anything is merged, people and agents are told, and neither once one is gone", async () => {
    const place = await openRepository("collide")
    await place.agent("api", { "shared.txt": "api\n", "api.txt": "1\n" })
    await place.agent("docs", { "docs.txt": "2\n" })
    await expect
      .poll(async () => (await place.session.events()).filter((one) => one.type === "project_saved").length)
      .toBe(2)
    expect(await place.collisions()).toEqual([])
    await place.agent("tests", { "shared.txt": "tests\n" })
    await expect
      .poll(place.collisions)
      .toMatchObject([{ worktrees: ["api", "tests"], files: ["shared.txt"], file_count: 1 }])
    for (const [one, other] of [
      ["api", "tests"],
      ["tests", "api"],
    ] as const) {
      const [told] = await place.conversation(one)
      expect(told?.content).toContain(`in the worktree ${other}, where ${other} works,`)
      expect(told?.content).toContain("- shared.txt")
      const { body } = await server.call("GET", `/api/v1/sessions/${place.session.id}/agents/${one}`)
      expect(body).toMatchObject({ status: "idle", queued: 1 })
    }
    expect(place.repository.git("status", "--porcelain").trim()).toBe("")
    const merged = await place.session.ask("POST", "/merge?worktree=api", { json: {} })
    expect(merged.body).toMatchObject({ status: "merged" })
    await expect.poll(place.collisions).toEqual([])
    expect(server.reported).toEqual([])
  })
})
