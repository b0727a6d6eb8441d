import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { switchyard } from "../cli/spawn.ts"
import { readFrames } from "./agents/frames.ts"
import { makeRepository } from "./agents/repository.ts"
import { planModel, type TeamPlan } from "./agents/team-plan.ts"
import { startServer, type TestServer } from "./server.ts"

let plan: TeamPlan
let server: TestServer
let repository: string
beforeAll(async () => {
  server = await startServer({ scripted: planModel(() => plan) })
  repository = makeRepository(join(dirname(server.folder), "source")).folder
})
afterAll(() => server.close())

const ofPerson = { refresh_token: "person-4f1c9ab27e3d5580", at: "2026-01-01T00:00:00.000Z" }
const login = { files: { "login.json": JSON.stringify(ofPerson) }, consent: true }

async function account(name: string, more: object = {}): Promise<void> {
  const made = await server.call("POST", "/api/v1/accounts", { json: { name, provider: "mock", ...more } })
  expect(made.status, made.text).toBe(201)
}

async function logIn(name: string): Promise<void> {
  const put = await server.call("PUT", `/api/v1/accounts/${name}/login`, { json: login })
  expect(put.status, put.text).toBe(200)
}

const order = (names: string[]) =>
  server.call("PUT", "/api/v1/config/provider-fallback-order", { json: { order: names } })
const addHook = (coding_agent: string) => {
  const json = { repository, kind: "gitlab", rules: [{ on: "comment" }], coding_agent, users: ["ada"] }
  return server.call("POST", "/api/v1/git-hooks", { json })
}

let comments = 0
/** Delivers a comment with a task for the mock agent. */
function deliver({ path, secret }: { path: string; secret: string }, knobs: object = {}) {
  const note = `@switchyard mend it ${++comments} mock: ${JSON.stringify({ files: {}, ...knobs })}`
  const json = {
    ...{ object_kind: "note", user: { username: "ada" } },
    object_attributes: { note, created_at: new Date().toISOString() },
  }
  return server.call("POST", path, { json, headers: { "x-gitlab-token": secret, "x-gitlab-event": "Note Hook" } })
}

async function until(session: string, type: string): Promise<void> {
  for await (const { data } of readFrames(server, `/api/v1/sessions/${session}/stream`)) if (data.type === type) return
}

async function switchesOf(session: string): Promise<string[]> {
  const { body } = await server.call("GET", `/api/v1/sessions/${session}/events?event_types=provider_switched`)
  return body.events.map((event: { to_account: string }) => event.to_account)
}

const REFUSAL = "uses the agent's own login, which only its owner may use"
const limit = { limit: { models: ["small"], until: "2020-01-01T00:00:00.000Z" } }

describe("a git hook", () => {
  it("isn't added for an account with its agent's own login, and starts nothing with one that got it later", async () => {
    await account("plan", { login })
    const refused = await addHook("plan")
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining(`plan ${REFUSAL}`)])

    await account("turns")
    const { body: hook } = await addHook("turns")
    const before = (await server.call("GET", "/v1/runs")).body.runs.length
    const started = await deliver(hook)
    expect(await server.ended(started.body.run_id)).toMatchObject({ status: "completed" })
    await logIn("turns")
    const late = await deliver(hook)
    expect([late.status, late.body.error.code]).toEqual([400, "task_invalid"])
    expect(late.body.error.message).toContain(`turns ${REFUSAL}`)
    expect((await server.call("GET", "/v1/runs")).body.runs).toHaveLength(before + 1)
    const { body } = await server.call("GET", "/api/v1/git-hooks")
    expect(body.git_hooks).toMatchObject([{ id: hook.id, problem: late.body.error.message }])
    const listed = await switchyard(["git-hooks", "list"], { url: server.url })
    expect(listed.stderr).toContain(`${hook.id} can't start runs: ${late.body.error.message}`)
    // People can still use the account.
    expect(await server.run({ kind: "agent", user_prompt: "Do it.", coding_agent: "turns" })).toMatchObject({
      status: "completed",
    })
  })

  it("has its runs pass over such accounts in the order of those that take over, which people's runs don't", async () => {
    for (const [name, more] of [
      ["first", { model: "small" }],
      ["second", { model: "large", login }],
      ["third", { model: "large" }],
    ] as const) {
      await account(name, more)
    }
    await order(["first", "second", "third"])
    const { body: hook } = await addHook("first")
    const { body: ref } = await deliver(hook, limit)
    expect(await server.ended(ref.run_id)).toMatchObject({ status: "completed", error: null })
    expect(await switchesOf(ref.session_id)).toEqual(["third"])
    const own = { kind: "agent", coding_agent: "first", user_prompt: `Do it. mock: ${JSON.stringify(limit)}` }
    const run = await server.run(own)
    expect(await switchesOf(run.workspace_id)).toEqual(["second"])
  })

  it("ends a run that has waited with the reason where its account got its login meanwhile", async () => {
    await account("waits", { model: "small" })
    const settings = [{ event: "session_usage", threshold: 100, action: "await_reset" }]
    await server.call("PUT", "/api/v1/config/action-settings", { json: { settings } })
    const { body: hook } = await addHook("waits")
    const { body: ref } = await deliver(hook, { limit: { models: ["small"], until: "2999-01-01T00:00:00.000Z" } })
    await until(ref.session_id, "run_parked")
    await logIn("waits")
    await server.call("POST", `/v1/runs/${ref.run_id}/resume`)
    const run = await server.ended(ref.run_id)
    expect([run.status, run.error.message]).toEqual(["failed", expect.stringContaining(`waits ${REFUSAL}`)])
  })

  it("starts nothing that an agent with such an account is to review", async () => {
    await account("reads", { login })
    await account("writes")
    await server.run({ kind: "agent", coding_agent: "writes", user_prompt: "Do it.", verify: true, consent: true })
    await server.call("PUT", "/api/v1/config/verification", { json: { enabled: true, auto_run: true } })
    await server.call("PUT", "/api/v1/config/verification-agent", { json: { account_name: "reads" } })
    const { body: hook } = await addHook("writes")
    const refused = await deliver(hook)
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining(`reads ${REFUSAL}`)])
    await server.call("PUT", "/api/v1/config/verification", { json: { enabled: false } })
  })
})

describe("a team that a webhook wakes", () => {
  const webhook = { when: { type: "webhook" }, action: { type: "wake_agent", message: "Somebody bought tea." } }

  async function teamOf(name: string) {
    plan = {
      workers: [{ name: "Ada", type: name }],
      nodes: [{ id: "one", worker: "Ada", deps: [], task: 'Do it. mock: {"files": {}}' }],
    }
    const json = { goal: "Tea", mode: "infinite", coding_agents: [name], project_path: repository, consent: true }
    const { body } = await server.call("POST", "/api/v1/teams", { json })
    await until(body.id, "work_node_completed")
    return { id: body.id as string, path: `/api/v1/teams/${body.id}/triggers` }
  }

  it("takes accounts with keys only", async () => {
    await account("owns", { login })
    const { path } = await teamOf("owns")
    const refused = await server.call("POST", path, { json: webhook })
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining(`owns ${REFUSAL}`)])
    expect((await server.call("GET", path)).body.triggers).toEqual([])
  })

  it("has no turn of an agent whose account got its login later", async () => {
    await account("changes")
    const { id, path } = await teamOf("changes")
    expect((await server.call("POST", path, { json: webhook })).status).toBe(201)
    await logIn("changes")
    const messages = `/api/v1/sessions/${id}/agents/Ada/messages`
    expect((await server.call("POST", messages, { json: { content: "Go on." } })).status).toBeLessThan(300)
    await until(id, "run_failed")
    const { body } = await server.call("GET", `/api/v1/sessions/${id}/events?event_types=run_failed`)
    const message = expect.stringContaining(`changes ${REFUSAL}`)
    expect(body.events).toMatchObject([{ message, hint: expect.not.stringContaining("API key") }])
  })
})
