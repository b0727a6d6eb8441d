import { CHECKS_PLACE } from "@switchyard/core/agents/conversations/consents"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const call = (...args: string[]) => switchyard(["--patience", "1", "consents", ...args], { url: server.url })

it("lists consents, and withdraws one by its id", async () => {
  await server.core().consents.give("local", "/home/ada/tool", {})
  const listed = await call("list")
  const [, id = ""] = /^(\w+) {2}\/home\/ada\/tool {2}\S+ {2}runs commands without asking\n$/.exec(listed.stdout) ?? []
  expect([listed.code, id]).toEqual([0, expect.stringMatching(/^[0-9a-f]{64}$/)])
  expect((await call("withdraw", id)).stdout).toBe("The consent was withdrawn.\n")
  await server.core().consents.give("local", CHECKS_PLACE, {})
  const checks = (await call("list")).stdout
  expect(checks).toMatch(/ {2}all sessions {2}\S+ {2}runs the built project in checks\n$/)
  await call("withdraw", checks.split(" ")[0] ?? "")
  expect((await call("list")).stdout).toBe("")
  expect((await call("withdraw", id)).stderr).toBe("switchyard: You have no consent with this ID.\n")
})
