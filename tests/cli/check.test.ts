import { afterAll, beforeAll, expect, it } from "vitest"
import { openSession } from "../functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

it("a check runs the commands that it is given, from then on, and finds the others", async () => {
  const session = await openSession(server)
  await session.edit(
    "package.json",
    JSON.stringify({ scripts: { build: "node -e 0", test: "node -e 'process.exit(1)'" } }),
  )
  const check = (...args: string[]) =>
    switchyard(["check", "--workspace", session.id, "--consent", ...args], { url: server.url })
  const set = async () => (await server.call("GET", `/api/v1/sessions/${session.id}/checks/commands`)).body.set
  const { code, stdout, stderr } = await check("--test", "node -e 0", "--start", "node --version")
  expect(code, stdout + stderr).toBe(0)
  expect(stdout).toContain("node -e 0: passed (set by you)")
  expect(stdout).toContain("npm run build: passed  ")
  expect((await check("--test", "")).code).not.toBe(0)
  expect(await set()).toEqual({ start: "node --version" })
})
