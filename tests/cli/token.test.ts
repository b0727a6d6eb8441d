import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"

let server: TestServer
beforeAll(async () => {
  server = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN, RATE_LIMIT_RUNS_PER_MINUTE: "1" } })
})
afterAll(() => server.close())

const as = (token: string | undefined, ...args: string[]) =>
  switchyard(["--patience", "1", ...args], { url: server.url, env: token ? { SWITCHYARD_TOKEN: token } : {} })

async function create(...args: string[]): Promise<{ id: string; secret: string }> {
  const { stdout } = await as(ADMIN_TOKEN, "token", "create", "--name", "ci", "--json", ...args)
  return JSON.parse(stdout)
}

describe("the token commands, against a server that asks for tokens", () => {
  it("make a token whose secret is all that stdout has, and which works", async () => {
    const { code, stdout, stderr } = await as(ADMIN_TOKEN, "token", "create", "--name", "ci", "--owner", "ada")
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^sy_\S+\n$/)])
    expect(stderr).toMatch(
      /tok_\w+ {2}ada {2}read,run {2}ci {2}never used {2}never expires {2}created by admin\n.*only once/,
    )
    expect(stderr).not.toContain(stdout.trim())
    const me = await as(stdout.trim(), "whoami")
    expect([me.code, me.stdout]).toEqual([0, expect.stringMatching(/^ada {2}read,run {2}tok_\w+\n$/)])
  })

  it("make it as it is asked for", async () => {
    const token = await create("--scope", "read, admin", "--expires-days", "7", "--owner", "bob")
    expect(token).toMatchObject({ owner: "bob", scopes: ["read", "admin"], expires_at: expect.stringContaining("T") })
  })

  it("list tokens without their secrets, and revoke them", async () => {
    const { id, secret } = await create("--owner", "carol")
    const mine = await as(secret, "token", "list")
    expect(mine.stdout).toMatch(
      new RegExp(`^${id}  carol  read,run  ci  used \\S+  never expires  created by admin\n$`),
    )
    const all = await as(ADMIN_TOKEN, "token", "list", "--json")
    const lines = all.stdout.trim().split("\n")
    expect(lines.map((line) => JSON.parse(line).id)).toContain(id)
    expect(all.stdout).not.toContain("sy_")

    expect(await as(secret, "token", "revoke", id)).toMatchObject({ code: 0, stdout: `${id} was revoked.\n` })
    expect((await as(secret, "whoami")).code).toBe(1)
    const again = await as(ADMIN_TOKEN, "token", "revoke", id)
    expect([again.code, again.stderr]).toEqual([1, "switchyard: There is no token with this id.\n"])
  })

  it.each([
    ["token", "create"],
    ["token", "create", "--name", "x", "--scope", "root"],
    ["token", "create", "--name", "x", "--expires-days", "0"],
    ["token", "create", "--name", "x", "--owner", "No One"],
    ["token", "revoke"],
    ["token", "nothing"],
    ["token"],
  ])("end with 2 for what can't be asked: %j %j %j", async (...args) => {
    const { code, stdout } = await as(ADMIN_TOKEN, ...args)
    expect([code, stdout]).toEqual([2, ""])
  })
})

describe("a caller that isn't let in", () => {
  it.each([undefined, "sy_wrong"])("is told how to be, at once, and the command fails: %j", async (token) => {
    for (const args of [["whoami"], ["run", "A page"], ["files"], ["token", "list"], ["status", "run_1"]]) {
      const { code, stdout, stderr } = await as(token, ...args)
      expect([code, stdout]).toEqual([1, ""])
      expect(stderr).toBe("switchyard: A valid token is required: send `Authorization: Bearer …`. See --token.\n")
    }
  })

  it("is told which scope it takes", async () => {
    const { secret } = await create("--scope", "read")
    const { code, stderr } = await as(secret, "run", "A page")
    expect([code, stderr]).toEqual([1, "switchyard: This requires a token with the scope `run`.\n"])
  })

  it("that comes too often is told so, when it has no more patience to wait", async () => {
    const { secret } = await create("--owner", "dora")
    expect((await as(secret, "run", "A page", "--detach")).code).toBe(0)
    const { code, stderr } = await as(secret, "run", "A page", "--detach")
    expect([code, stderr]).toEqual([4, expect.stringContaining("Too many requests")])
  })
})
