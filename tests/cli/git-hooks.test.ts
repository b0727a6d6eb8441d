import { afterAll, beforeAll, expect, it } from "vitest"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

const REPOSITORY = "https://github.com/ada/x.git"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const call = (...args: string[]) => switchyard(["--patience", "1", "git-hooks", ...args], { url: server.url })

it("adds, lists and deletes hooks, and shows a secret once", async () => {
  const rules = ["--label", "agent", "please", "--comment", "--check-failed", "--user", "grace"]
  const added = await call("add", REPOSITORY, "--kind", "github", "--agent", "mock", ...rules)
  expect([added.code, added.stderr]).toEqual([0, expect.stringContaining("shown only once")])
  const [line = "", path = "", secret = ""] = added.stdout.split("\n")
  const id = line.split(" ")[0] ?? ""
  expect(line).toBe(`${id}  github  ${REPOSITORY}  mock  label agent, label please, comment, check failed`)
  expect(path).toBe(`path    /api/v1/git-hooks/${id}/deliveries`)
  expect(secret).toMatch(/^secret {2}\S{20,}$/)
  const [hook] = (await server.call("GET", "/api/v1/git-hooks")).body.git_hooks
  expect(hook).toMatchObject({ id, users: ["grace"], rules: expect.arrayContaining([{ on: "check_failed" }]) })

  const listed = await call("list")
  expect(listed.stdout).toBe(`${line}\n`)
  expect((await call("remove", id)).stdout).toBe(`The git hook ${id} was deleted.\n`)
  expect(await call("list")).toMatchObject({ code: 0, stdout: "" })
  expect((await call("remove", id)).code).not.toBe(0)
})

it("ends with 2 without a rule, a kind or an agent, and adds nothing", async () => {
  const enough = ["--kind", "gitlab", "--agent", "mock"]
  const refused = [
    await call("add", REPOSITORY, ...enough),
    await call("add", REPOSITORY, "--comment", "--agent", "mock"),
    await call("add", REPOSITORY, "--comment", "--kind", "gitlab"),
    await call("add", REPOSITORY, "--comment", ...enough, "--kind", "gitea"),
  ]
  expect(refused.map(({ code }) => code)).toEqual([2, 2, 2, 2])
  expect(refused[0]?.stderr).toContain("at least one of --label, --comment and --check-failed")
  expect((await server.call("GET", "/api/v1/git-hooks")).body.git_hooks).toEqual([])
})
