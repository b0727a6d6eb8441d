import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const call = (args: string[], input = "") =>
  switchyard(["--patience", "1", "accounts", ...args], { url: server.url, stdin: input })

it("adds, lists and deletes accounts, whose keys it takes from stdin and never prints", async () => {
  const added = await call(["add", "work", "--provider", "claude", "--model", "opus"], "sk-ant-canary\n")
  expect([added.code, added.stdout]).toEqual([0, "work  claude  opus\n"])
  // An agent that needs no key isn't asked for one.
  expect(await call(["add", "trial", "--provider", "mock"])).toMatchObject({ code: 0, stdout: "trial  mock\n" })
  const changed = await call(["key", "work"], "sk-ant-canary2")
  const listed = await call(["list"])
  expect(listed.stdout).toBe("trial  mock\nwork  claude  opus\n")
  expect([added, changed, listed].map(({ stdout, stderr }) => stdout + stderr).join()).not.toContain("canary")
  expect((await server.call("GET", "/api/v1/accounts/work")).body.has_key).toBe(true)
  expect((await call(["remove", "work"])).stdout).toBe("The account work was deleted.\n")
  expect((await call(["list"])).stdout).toBe("trial  mock\n")
})

it("ends with 2 without a key or with an agent that isn't known, and with 1 for a name that is taken", async () => {
  const none = await call(["add", "codex-work", "--provider", "codex"], " \n")
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("The key for codex-work is empty.") })
  expect((await call(["add", "x", "--provider", "nonsense"], "k")).code).toBe(2)
  expect((await call(["add", "twice", "--provider", "mock"])).code).toBe(0)
  const twice = await call(["add", "twice", "--provider", "mock"])
  expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining("An account with this name already exists.") })
  expect((await server.call("GET", "/api/v1/accounts/codex-work")).status).toBe(404)
})

it("logs in with the agent's own program, in a folder that is gone afterwards, once its owner has consented", async () => {
  const token = "rt-canary-of-a-login-0123456789"
  server.canaries.note({ api_key: token })
  const home = await mkdtemp(join(tmpdir(), "switchyard-cli-home-"))
  try {
    const auth = JSON.stringify({ tokens: { refresh_token: token } })
    const program = `#!/bin/sh\n[ "$*" = login ] && echo "Welcome." && printf '%s' '${auth}' > "$CODEX_HOME/auth.json"\n`
    await writeFile(join(home, "codex"), program, { mode: 0o755 })
    const env = { HOME: home, PATH: `${home}:${process.env.PATH}` }
    const logIn = (...args: string[]) => switchyard(["accounts", "login", "plan", ...args], { url: server.url, env })
    const unasked = await logIn("--provider", "codex")
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining("Add --consent if you agree.") })
    expect(unasked.stderr).toContain("OpenAI")
    const done = await logIn("--provider", "codex", "--consent")
    expect(done.stdout).toBe("Welcome.\nplan  codex  with a login\n")
    expect(done.stderr).not.toContain("canary")
    expect((await server.call("GET", "/api/v1/accounts/plan")).body).toMatchObject({ has_login: true, has_key: false })
    expect(await readdir(home)).toEqual(["codex"])
    await writeFile(join(home, "auth.json"), auth)
    expect((await logIn("--provider", "codex", "--consent", "--from", home)).code).toBe(0)
    const none = await logIn("--provider", "codex", "--consent", "--from", join(home, "none"))
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no auth.json") })
    for (const [provider, why] of [
      ["qwen", "discontinued"],
      ["gemini", "Google forbids"],
    ] as const) {
      expect(await logIn("--provider", provider)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) })
    }
  } finally {
    await rm(home, { recursive: true })
  }
})
