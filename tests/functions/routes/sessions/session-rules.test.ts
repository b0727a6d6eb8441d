import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openTeam } from "../../agents/team.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const FILES = { "secret/key.txt": "key\n", "secret/gone.txt": "gone\n", "open.txt": "open\n" }
const open = (name: string) => openTeam(server, join(dirname(server.folder), name), FILES)
const COMMAND =
  "echo x > secret/key.txt; echo x > secret/new.txt; rm secret/gone.txt; echo x > open.txt; echo x > new.txt"

describe("the rules of a session", () => {
  it("hold for its agents, stand in the event of each turn, and what was changed against them is put back", async () => {
    const team = await open("rules")
    const rules = [{ tool: "any", path: "secret/**", effect: "deny" }]
    const set = await server.call("PUT", `${team.path}/permissions`, { json: { rules } })
    expect(set).toMatchObject({ status: 200, body: { rules } })
    expect((await server.call("GET", `${team.path}/permissions`)).body).toEqual({ rules, repository: {} })
    await team.work("api", { files: { "secret/asked.txt": "x\n" }, commands: [COMMAND] })
    const events = await team.session.events()
    expect(events.find(({ type }) => type === "agent_turn_started")).toMatchObject({ mode: "bypass", rules })
    expect(events.find(({ type }) => type === "agent_refused")).toMatchObject({ reason: "A rule forbids this." })
    expect(events.find(({ type }) => type === "agent_changes_reverted")).toMatchObject({
      files: ["secret/gone.txt", "secret/key.txt", "secret/new.txt"],
      reason: "a rule forbids changes to it",
    })
    const { body } = await team.session.ask("GET", "/diff?worktree=api")
    expect(body.files.map((file: { new_path: string }) => file.new_path).sort()).toEqual(["new.txt", "open.txt"])
    expect(server.reported).toEqual([])
  })

  it("are no promise of a program that plans: what it changes is put back, too", async () => {
    const team = await open("plans")
    await team.work("api", {})
    await server.call("PATCH", `${team.path}/agents/api`, { json: { mode: "plan" } })
    // The mock writes these files without asking, because it asks only for its own tools.
    await team.work("api", { generates: 3 })
    const events = await team.session.events()
    expect(events.find(({ type }) => type === "agent_changes_reverted")).toMatchObject({
      file_count: 3,
      reason: "the agent is in plan mode",
    })
    expect((await team.session.ask("GET", "?worktree=api")).body.has_changes).toBe(false)
    expect(server.reported).toEqual([])
  })
})
