import { mkdir, readdir, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { WAIT_MS } from "../settings.ts"
import { call } from "./http.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./processes.ts"

const TOKEN = "interrupted-login-canary-52c09b3e"
/** Writes a login at once, and ends only after a line is typed. */
const CODEX = `#!/bin/sh
printf '{"tokens":{"refresh_token":"%s-52c09b3e"}}' interrupted-login-canary > "$CODEX_HOME/auth.json"
cat "$CODEX_HOME/auth.json"
read code
`

const { PATH } = process.env
afterEach(() => {
  process.env.PATH = PATH
})

interface Begun {
  run_id: string
  workspace_id: string
}

async function urlOf(server: ServerProcess): Promise<string> {
  const url = await server.url
  if (url === undefined) throw new Error(`The server didn't start. ${server.output()}`)
  return url
}

async function begin(url: string): Promise<Begun> {
  const init = { method: "POST", headers: { "content-type": "application/json" } }
  const json = JSON.stringify({ provider: "codex", consent: true })
  const { status, body } = await call<Begun>(`${url}/api/v1/accounts/mine/login`, { ...init, body: json })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

describe("a server that is stopped in the middle of a login", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)(
    "gives no account half of it, and leaves nothing of it (%s)",
    async (signal) => {
      await using around = await temporaryFolder()
      around.canaries.note({ api_key: TOKEN })
      const [bin, folder] = [join(around.path, "bin"), join(around.path, "data")]
      await mkdir(bin)
      await writeFile(join(bin, "codex"), CODEX, { mode: 0o755 })
      process.env.PATH = [bin, PATH].join(delimiter)
      const homes = () => readdir(join(folder, "homes/login")).catch(() => [])
      const written = async () => {
        const [home = ""] = await homes()
        return readdir(join(folder, "homes/login", home, ".codex")).catch(() => [])
      }

      const first = startServer(folder, "http://127.0.0.1:9", {})
      const { workspace_id } = await begin(await urlOf(first))
      await expect.poll(written, { timeout: WAIT_MS }).toContain("auth.json")
      first.kill(signal)
      await first.ended

      const second = startServer(folder, "http://127.0.0.1:9", {})
      const url = await urlOf(second)
      const statusOf = async (path: string) => (await call(`${url}${path}`)).status
      await expect.poll(() => statusOf(`/api/v1/sessions/${workspace_id}`), { timeout: WAIT_MS }).toBe(404)
      await expect.poll(homes, { timeout: WAIT_MS }).toEqual([])
      expect(await statusOf("/api/v1/accounts/mine")).toBe(404)
      // The interrupted login doesn't block the next one.
      await begin(url)
      await expect.poll(written, { timeout: WAIT_MS }).toContain("auth.json")
      second.kill("SIGTERM")
      await second.ended
      await expect.poll(homes, { timeout: WAIT_MS }).toEqual([])
    },
  )
})
