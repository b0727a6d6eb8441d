import { afterAll, beforeAll, expect, it } from "vitest"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const call = (args: string[], input?: string) =>
  switchyard(["--patience", "1", "git-hosts", ...args], { url: server.url, stdin: input })

it("adds, lists, replaces and deletes tokens, which it takes from stdin and never prints", async () => {
  const added = await call(["add", "github.com"], "ghp_canary\n")
  expect([added.code, added.stdout]).toEqual([0, expect.stringMatching(/^github\.com {2}github {2}token set \S+\n$/)])
  const other = await call(["add", "git.example.org", "--kind", "gitlab", "--username", "deploy"], "glpat-canary")
  expect(other.stdout).toMatch(/^git\.example\.org {2}gitlab {2}user deploy {2}/)
  await call(["add", "github.com"], "ghp_canary2")
  const listed = await call(["list"])
  expect(listed.stdout.split("\n").map((line) => line.split(" ")[0])).toEqual(["git.example.org", "github.com", ""])
  const removed = await call(["remove", "github.com"])
  expect([removed.code, removed.stdout]).toEqual([0, "The token for github.com was deleted.\n"])
  expect((await call(["remove", "github.com"])).stderr).toBe("switchyard: You have no token for this host.\n")
  const said = [added, other, listed].map(({ stdout, stderr }) => stdout + stderr).join()
  expect(said).not.toContain("canary")
})

it("ends with 2 without a token, and says which kind it needs to be told", async () => {
  expect((await call(["add", "github.com"], " \n")).code).toBe(2)
  const unknown = await call(["add", "git.example.org"], "t")
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("github, gitlab or gitea")])
})
