import { readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { makeRepository, type TestRepository } from "./agents/repository.ts"
import { startServer, type TestServer } from "./server.ts"

let server: TestServer
let repository: TestRepository
let programs: string
let seen: string

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), "switchyard-stubs-"))
  seen = join(programs, "seen")
  writeFileSync(join(programs, "claude"), `#!/bin/sh\nls -A > "${seen}"\nexit 1\n`, { mode: 0o755 })
  server = await startServer()
  const around = dirname(server.folder)
  const account = { name: "work", provider: "claude", api_key: "sk-ant-canary" }
  expect((await server.call("POST", "/api/v1/accounts", { json: account })).status).toBe(201)
  repository = makeRepository(join(around, "theirs"), { "README.md": "Theirs\n", ".mcp.json": "{}\n" })
})
// Runners inherit the environment of the test that starts them.
beforeEach(() => {
  vi.stubEnv("PATH", `${programs}:${process.env.PATH}`)
  vi.stubEnv("SWITCHYARD_AGENT_SANDBOX", "off")
})
afterAll(async () => {
  await server.close()
  await rm(programs, { recursive: true, force: true })
})

/**
 * Runs a program that looks at its worktree and fails. Resolves to true if it saw `.mcp.json`, which would start a
 * program.
 */
async function sees(about: object = {}, session?: string): Promise<boolean> {
  const agent = { coding_agent: "work", mode: "bypass", ...about }
  const { folder } = repository
  const begun = session
    ? await server.call("POST", `/api/v1/sessions/${session}/tasks`, { json: { ...agent, task_description: "Look." } })
    : await server.call("POST", "/v1/runs", {
        json: { ...agent, kind: "agent", user_prompt: "Look.", repository: folder },
      })
  expect(begun.status, begun.text).toBe(201)
  await server.ended(begun.body.run_id ?? begun.body.task_id)
  last = begun.body.workspace_id ?? session
  return readFileSync(seen, "utf8").split("\n").includes(".mcp.json")
}

/** Opens a session and adds an agent to it, with this consent and optionally a first message. */
async function addAgent(about: { consent: boolean; prompt?: string }): Promise<string> {
  const opened = await server.call("POST", "/api/v1/sessions", { json: { repository: repository.folder } })
  const path = `/api/v1/sessions/${opened.body.id}`
  const json = { name: "ben", coding_agent: "work", mode: "bypass", ...about }
  expect((await server.call("POST", `${path}/agents`, { json })).status).toBe(201)
  return path
}

/** Resolves to true if the agent saw `.mcp.json` in its last turn. */
async function agentSaw(session: string): Promise<boolean> {
  const created = await server.call("GET", `${session}/events?event_types=run_created`)
  await server.ended(created.body.events.at(-1).run_id)
  return readFileSync(seen, "utf8").split("\n").includes(".mcp.json")
}

async function withdraw(some: { id: string }[]): Promise<void> {
  for (const { id } of some) await server.call("DELETE", `/api/v1/consents/${id}`)
}

let last: string
const allConsents = async () => (await server.call("GET", "/api/v1/consents")).body.consents
const consents = async () => (await allConsents()).filter(({ kind }: { kind: string }) => kind === "start_files")
/** Consents to agents that ask nothing, which doesn't cover the repository's files. */
const allowBypass = () => server.core().consents.give("local", repository.folder, {})
const commit = (content: string) => {
  repository.write({ ".mcp.json": content })
  repository.git("commit", "-qam", "change")
}

describe("consent to a repository's files that start programs", () => {
  it("holds for later sessions that ask nothing until a file changes, and can be withdrawn", async () => {
    await allowBypass()
    expect(await sees()).toBe(false)
    expect(await sees({ consent: true })).toBe(true)
    const consented = last
    await expect
      .poll(consents)
      .toMatchObject([
        { kind: "start_files", repository: repository.folder, files: [".mcp.json"], digest: expect.any(String) },
      ])
    expect(await sees()).toBe(true)
    expect(await sees({ mode: "accept_edits" })).toBe(false)
    commit('{"mcpServers":{}}\n')
    expect(await sees()).toBe(false)
    const { text } = await server.call("GET", `/api/v1/sessions/${last}/events?event_types=agent_notice`)
    expect(text).toContain("is working without .mcp.json, which would start programs")
    commit("{}\n")
    expect(await sees()).toBe(true)

    const [{ id }] = await consents()
    expect(await server.call("DELETE", `/api/v1/consents/${id}`)).toMatchObject({ status: 200 })
    expect(await consents()).toEqual([])
    expect(await sees()).toBe(false)
    expect(await sees({}, consented)).toBe(false)
    expect(await consents()).toEqual([])
    const again = await server.call("DELETE", `/api/v1/consents/${id}`)
    expect(again).toMatchObject({ status: 404, body: { error: { code: "not_found" } } })
  })

  it("may be given with the first message to a new agent, and with no later one", async () => {
    await withdraw(await consents())
    const say = (session: string) =>
      server.call("POST", `${session}/agents/ben/messages`, { json: { content: "Look again." } })
    const told = await addAgent({ consent: true, prompt: "Look." })
    expect(await agentSaw(told)).toBe(true)
    await expect.poll(consents).toMatchObject([{ kind: "start_files", files: [".mcp.json"] }])
    await withdraw(await consents())
    await say(told)
    expect(await agentSaw(told)).toBe(false)
    const untold = await addAgent({ consent: true })
    await say(untold)
    expect(await agentSaw(untold)).toBe(false)
    expect(await consents()).toEqual([])
  })

  it("is listed beside consent to commands, which is withdrawn in the same way", async () => {
    await withdraw(await allConsents())
    await expect(sees()).rejects.toThrow("consent_required")
    await sees({ consent: true })
    await expect.poll(consents).toHaveLength(1)
    for (const { id, kind } of await allConsents()) {
      expect(["commands", "start_files"]).toContain(kind)
      expect((await server.call("DELETE", `/api/v1/consents/${id}`)).status).toBe(200)
    }
    await expect(sees()).rejects.toThrow("consent_required")
  })
})
