import { chmod, mkdir, readdir, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { readFrames } from "./agents/frames.ts"
import { startServer, type TestServer } from "./server.ts"

const TOKEN = "terminal-login-canary-7d21f6c09b3e"
/** Logs in with a typed code, as Codex's own program does with a browser. */
const CODEX = `#!/bin/sh
[ "$*" = login ] || exit 9
printf 'Code for %s? ' "$CODEX_HOME"
read code
case "$code" in
  fail) exit 3 ;;
  empty) exit 0 ;;
esac
printf '{"tokens":{"refresh_token":"%s-7d21f6c09b3e-%s"}}' terminal-login-canary "$code" > "$CODEX_HOME/auth.json"
cat "$CODEX_HOME/auth.json"
sleep 0.1
`

let server: TestServer
const { PATH } = process.env
beforeAll(async () => {
  server = await startServer()
  const bin = join(server.folder, "..", "bin")
  await mkdir(bin)
  await writeFile(join(bin, "codex"), CODEX)
  await chmod(join(bin, "codex"), 0o755)
  // Runners are separate processes and find the program through PATH.
  process.env.PATH = [bin, PATH].join(delimiter)
  server.canaries.note({ api_key: TOKEN })
})
afterAll(async () => {
  process.env.PATH = PATH
  // `close` fails if the token is left in any file.
  await server.close()
})

async function begin(name: string, json: object = { provider: "codex", consent: true }) {
  const asked = await server.call("POST", `/api/v1/accounts/${name}/login`, { json })
  expect(asked.status, asked.text).toBe(201)
  const { run_id, workspace_id: id } = asked.body
  return { run_id, id }
}

/** Types into a login's terminal once the terminal is open. */
async function type(id: string, keys: string): Promise<string> {
  for await (const { data } of readFrames(server, `/api/v1/sessions/${id}/stream?include_terminal=false`)) {
    if (data.type !== "terminal_opened") continue
    const json = { data: Buffer.from(keys).toString("base64") }
    expect((await server.call("POST", `/api/v1/sessions/${id}/terminals/${data.pty}/input`, { json })).status).toBe(200)
    return data.pty
  }
  throw new Error("No terminal was opened.")
}

/** Resolves to all events of a login's session once the session is deleted. */
async function untilDeleted(id: string) {
  const seen = []
  for await (const { data } of readFrames(server, `/api/v1/sessions/${id}/stream?include_terminal=false`)) {
    seen.push(data)
    if (data.type === "session_deleted") break
  }
  return seen
}

async function homes(): Promise<string[]> {
  return readdir(join(server.folder, "homes", "login")).catch(() => [])
}

it("adds an account with the login that was made in its terminal, and leaves nothing else of it", async () => {
  const { id } = await begin("mine")
  const ended = untilDeleted(id)
  await type(id, "abc\r")
  const events = await ended
  expect(events.map(({ type }) => type)).toContain("run_completed")
  expect((await server.call("GET", "/api/v1/accounts/mine")).body).toMatchObject({ provider: "codex", has_login: true })
  expect(JSON.stringify(events)).not.toContain(TOKEN)
  expect((await server.call("GET", `/api/v1/sessions/${id}`)).status).toBe(404)
  expect(await homes()).toEqual([])
})

it.each([
  ["fail", "codex login exited without logging in."],
  ["empty", "codex login didn't leave a login."],
])("adds none where the program ends with %s, and says why", async (code, reason) => {
  const { id } = await begin(code)
  const ended = untilDeleted(id)
  await type(id, `${code}\r`)
  expect(await ended).toContainEqual(expect.objectContaining({ type: "run_failed", message: reason }))
  expect((await server.call("GET", `/api/v1/accounts/${code}`)).status).toBe(404)
  expect(await homes()).toEqual([])
})

it("ends its program with the session that is deleted, or the run that is cancelled", async () => {
  for (const cancel of ["run", "session"]) {
    const { id, run_id } = await begin("cancelled")
    const ended = untilDeleted(id)
    await type(id, "half a co")
    if (cancel === "run") await server.call("POST", `/v1/runs/${run_id}/cancel`)
    else await server.call("DELETE", `/api/v1/sessions/${id}`)
    await ended
    await expect.poll(homes).toEqual([])
    expect((await server.call("GET", "/api/v1/accounts/cancelled")).status).toBe(404)
  }
})

it("replaces the login of an account, and that of no other agent's", async () => {
  const { id } = await begin("mine")
  const ended = untilDeleted(id)
  await type(id, "again\r")
  await ended
  expect((await server.call("GET", "/api/v1/accounts/mine")).body).toMatchObject({ has_login: true, ready: true })
  await server.call("POST", "/api/v1/accounts", { json: { name: "other", provider: "mock" } })
  const refused = async (name: string, json: object) => {
    const { body } = await server.call("POST", `/api/v1/accounts/${name}/login`, { json })
    return body.error.code
  }
  expect(await refused("other", { provider: "codex", consent: true })).toBe("validation_error")
  expect(await refused("new", { provider: "codex" })).toBe("consent_required")
  expect(await refused("new", { provider: "gemini", consent: true })).toBe("validation_error")
  expect(await refused("new", { provider: "mock", consent: true })).toBe("validation_error")
  expect(await refused("../new", { provider: "codex", consent: true })).toBe("not_found")
})

it("isn't begun again by another runner, which removes what the dead one left", async () => {
  const { id } = await begin("killed")
  const ended = untilDeleted(id)
  await type(id, "half a co")
  const { events } = (await server.call("GET", `/api/v1/sessions/${id}/events?event_types=runner_claimed`)).body
  expect(await homes()).toHaveLength(1)
  process.kill(Number(/^local-(\d+)-/.exec(events[0].executor)?.[1]), "SIGKILL")
  const reason = "The login was interrupted by a restart. Start it again."
  expect(await ended).toContainEqual(expect.objectContaining({ type: "run_failed", message: reason }))
  expect(await homes()).toEqual([])
})
