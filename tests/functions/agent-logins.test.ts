import { createHash } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { readFrames } from "./agents/frames.ts"
import { startServer, type TestServer } from "./server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
// `close` fails if a token is left in any file.
afterAll(() => server.close())

const tokenOf = (name: string) => `${name}-canary-4f1c9ab27e3d5580`
const loginOf = (name: string) => {
  server.canaries.note({ api_key: tokenOf(name) })
  return { "login.json": JSON.stringify({ refresh_token: tokenOf(name), at: "2026-01-01T00:00:00.000Z" }) }
}
const digestOf = (files: { "login.json": string }) => createHash("sha256").update(files["login.json"]).digest("hex")
/** Returns a command that renews a login as the agent's program does. The task's text contains neither token. */
const renew = (from: string, to: string) => `sed -i s/${from}-canary/${to}-canary/ "$HOME/.mock/login.json"`
const DIGEST = 'sha256sum < "$HOME/.mock/login.json" | cut -c1-64 > digest.txt'

async function account(name: string, login?: object) {
  const json = { name, provider: "mock", ...(login && { login: { files: login, consent: true } }) }
  const made = await server.call("POST", "/api/v1/accounts", { json })
  expect(made.status, made.text).toBe(201)
  return made.body
}

async function begin(coding_agent: string, commands: string[]) {
  const { id } = (await server.call("POST", "/api/v1/sessions")).body
  const knobs = { files: {}, commands }
  const json = { coding_agent, consent: true, task_description: `Try it. mock: ${JSON.stringify(knobs)}` }
  const task = await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })
  expect(task.status, task.text).toBe(201)
  return { id, task: task.body.task_id as string }
}

async function digestSeenBy(name: string): Promise<string> {
  const { id, task } = await begin(name, [DIGEST])
  expect(await server.ended(task)).toMatchObject({ status: "completed" })
  const file = await server.call("GET", `/workspace/file?path=digest.txt&workspace_id=${id}`)
  return file.body.content.trim()
}

async function until(id: string, type: string): Promise<void> {
  for await (const { data } of readFrames(server, `/api/v1/sessions/${id}/stream?include_terminal=false`)) {
    if (data.type === type) return
  }
}

/** Returns a command that waits until `end` is called. */
function held(name: string) {
  const flag = join(server.folder, `${name}.flag`)
  const wait = `while [ ! -e '${flag}' ]; do sleep 0.05; done`
  return { wait, end: () => writeFile(flag, "") }
}

it("takes a login with consent only, and tells nobody what is in it", async () => {
  const files = loginOf("shown")
  const json = { name: "shown", provider: "mock", login: { files } }
  const refused = await server.call("POST", "/api/v1/accounts", { json })
  expect(refused).toMatchObject({ status: 409, body: { error: { code: "consent_required" } } })
  expect(refused.body.error.message).toContain("can read the login")
  expect((await server.call("GET", "/api/v1/accounts/shown")).status).toBe(404)
  expect(await account("shown", files)).toMatchObject({ has_key: false, has_login: true, ready: true })
  const put = (json: object) => server.call("PUT", "/api/v1/accounts/shown/login", { json })
  expect((await put({ files })).body.error.code).toBe("consent_required")
  for (const wrong of [{}, { "login.json": "[]" }, { "login.json": "{}" }, { ...files, "other.json": "{}" }]) {
    expect((await put({ files: wrong, consent: true })).body.error.code, JSON.stringify(wrong)).toBe("validation_error")
  }
  const again = await put({ files, consent: true })
  expect(again.body).toMatchObject({ name: "shown", has_login: true })
  for (const path of ["/api/v1/accounts", "/api/v1/accounts/shown", "/api/v1/config/export"]) {
    expect((await server.call("GET", path)).text).not.toContain(tokenOf("shown"))
  }
})

it("gives the agent the login for as long as it works, keeps what the agent renewed, and shows none of it", async () => {
  const files = loginOf("first")
  const renewed = loginOf("second")
  await account("renews", files)
  const cat = 'cat "$HOME/.mock/login.json"'
  const { id, task } = await begin("renews", [cat, renew("first", "second")])
  expect(await server.ended(task)).toMatchObject({ status: "completed" })
  const { text } = await server.call("GET", `/api/v1/sessions/${id}/events?limit=1000`)
  expect(text).toContain("refresh_token")
  expect(text).not.toContain("canary-4f1c9ab27e3d5580")
  const [home] = [...(await server.kept()).keys()].filter((file) => file.includes("/homes/"))
  expect(home).toBeDefined()
  const left = [...(await server.kept())].filter(([file]) => file.endsWith("login.json"))
  expect(left).toEqual([])
  expect(await digestSeenBy("renews")).toBe(digestOf(renewed))
})

it("never puts what an agent renewed over a login that came after its own", async () => {
  await account("replaced", loginOf("old"))
  const newer = loginOf("newer")
  const { wait, end } = held("replaced")
  const { id, task } = await begin("replaced", [wait, renew("old", "renewed")])
  loginOf("renewed")
  await until(id, "tool_call_started")
  const json = { files: newer, consent: true }
  expect((await server.call("PUT", "/api/v1/accounts/replaced/login", { json })).status).toBe(200)
  await end()
  expect(await server.ended(task)).toMatchObject({ status: "completed" })
  expect(await digestSeenBy("replaced")).toBe(digestOf(newer))
})

it("lets one task at a time work with a login: the next waits, or is handed to another account", async () => {
  const files = loginOf("alone")
  await account("alone", files)
  await account("other")
  const { wait, end } = held("alone")
  const first = await begin("alone", [wait])
  await until(first.id, "tool_call_started")

  const waiting = await begin("alone", [DIGEST])
  await until(waiting.id, "run_parked")
  await server.call("PUT", "/api/v1/config/provider-fallback-order", { json: { order: ["alone", "other"] } })
  const handed = await begin("alone", ["true"])
  expect(await server.ended(handed.task)).toMatchObject({ status: "completed" })
  const switched = await server.call("GET", `/api/v1/sessions/${handed.id}/events?event_types=provider_switched`)
  expect(switched.body.events).toMatchObject([{ from_account: "alone", to_account: "other" }])

  await end()
  expect(await server.ended(first.task)).toMatchObject({ status: "completed" })
  await server.call("POST", `/v1/runs/${waiting.task}/resume`)
  expect(await server.ended(waiting.task)).toMatchObject({ status: "completed" })
  await server.call("PUT", "/api/v1/config/provider-fallback-order", { json: { order: [] } })
})

it("leaves nothing of a login whose account is deleted while its agent works", async () => {
  await account("doomed", loginOf("doomed"))
  const { wait, end } = held("doomed")
  const { id, task } = await begin("doomed", [wait, renew("doomed", "undead")])
  loginOf("undead")
  await until(id, "tool_call_started")
  expect((await server.call("DELETE", "/api/v1/accounts/doomed")).status).toBe(200)
  await end()
  await server.ended(task)
  expect([...(await server.kept()).keys()].filter((file) => file.endsWith("login.json"))).toEqual([])
  expect((await server.call("GET", "/api/v1/accounts/doomed")).status).toBe(404)
})
