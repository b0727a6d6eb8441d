import { dirname, join } from "node:path"
import { defaultPreferences } from "@switchyard/core/people/settings/default-preferences"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeRepository } from "../agents/repository.ts"
import { startServer, type TestServer } from "../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const path = "/api/v1/config/preferences"
const put = (json: unknown) => server.call("PUT", path, { json })

describe("preferences over HTTP", () => {
  it("are told, changed one by one, and told so from then on", async () => {
    expect((await server.call("GET", path)).body).toEqual({ ...defaultPreferences, version: 0 })
    expect((await put({ theme: "dark" })).body).toEqual({ ...defaultPreferences, theme: "dark", version: 1 })
    expect((await put({ density: "compact", version: 1 })).body).toMatchObject({ theme: "dark", version: 2 })
    expect((await server.call("GET", path)).body).toMatchObject({ theme: "dark", density: "compact" })
  })

  it.each([{ theme: "sepia" }, { unknown: 1 }, { terminal_font_px: 4 }, { version: -1 }, [], "dark", null])(
    "are not changed by %j",
    async (change) => {
      const before = (await server.call("GET", path)).body
      expect((await put(change)).status).toBe(422)
      expect((await server.call("GET", path)).body).toEqual(before)
    },
  )

  it("are not changed over somebody else's change", async () => {
    expect(await put({ theme: "light", version: 0 })).toMatchObject({
      status: 409,
      body: { error: { code: "storage_conflict" } },
    })
  })
})

describe("rules for agents", () => {
  const rules = "/api/v1/config/permissions"
  const set = (json: unknown) => server.call("PUT", rules, { json })
  const deny = { tool: "write", path: "secret/**", effect: "deny" }

  it("are none, and then all that were set last", async () => {
    expect((await server.call("GET", rules)).body).toEqual({ rules: [], repositories: [], version: 0 })
    expect(await set({ rules: [deny], repositories: [] })).toMatchObject({ status: 200, body: { version: 1 } })
    expect((await server.call("GET", rules)).body).toEqual({ rules: [deny], repositories: [], version: 1 })
    expect(await set({ rules: [], repositories: [], version: 0 })).toMatchObject({ status: 409 })
    expect(await set({ rules: [{ tool: "write", effect: "perhaps" }], repositories: [] })).toMatchObject({
      status: 422,
    })
    expect(await set({ rules: Array(101).fill(deny), repositories: [] })).toMatchObject({ status: 422 })
    expect((await server.call("GET", rules)).body).toMatchObject({ rules: [deny], version: 1 })
  })

  it("hold for agents that would ask nothing, everywhere or in their repository alone", async () => {
    const here = makeRepository(join(dirname(server.folder), "ruled"))
    const repositories = [{ repository: `${here.folder}/`, rules: [{ ...deny, path: "docs/**" }] }]
    await set({ rules: [deny], repositories })
    const knobs = { files: { "secret/a.txt": "a", "docs/b.txt": "b", "c.txt": "c" } }
    const work = async (repository?: string) => {
      const json = { project_path: repository }
      const { id } = (await server.call("POST", "/api/v1/sessions", { json })).body
      const task = { coding_agent: "mock", task_description: `mock: ${JSON.stringify(knobs)}` }
      const { body } = await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json: task })
      expect((await server.ended(body.task_id)).status).toBe("completed")
      const { events } = (await server.call("GET", `/api/v1/sessions/${id}/events?limit=1000`)).body
      const refused = events.filter(({ type }: { type: string }) => type === "agent_refused")
      const started = events.find(({ type }: { type: string }) => type === "agent_turn_started")
      return { refused: refused.length, rules: started.rules.length, mode: started.mode }
    }
    expect(await work()).toEqual({ refused: 1, rules: 1, mode: "bypass" })
    expect(await work(here.folder)).toEqual({ refused: 2, rules: 2, mode: "bypass" })
    await set({ rules: [], repositories: [] })
  })
})
