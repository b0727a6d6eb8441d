import { afterAll, beforeAll, expect, it } from "vitest"
import { openSession } from "../functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

it("a page is published from a terminal, published again as JSON, and withdrawn", async () => {
  const { id, edit } = await openSession(server)
  const ask = (...args: string[]) => switchyard(args, { url: server.url })
  await edit("README.md", "Tea")
  expect(await ask("publish", "--workspace", id)).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("no page to publish"),
  })
  await edit("index.html", "<h1>Tea</h1>")
  const url = `http://tea-list.localhost:${new URL(server.url).port}/`
  expect(await ask("publish", "--workspace", id, "--name", "tea-list")).toMatchObject({ code: 0, stdout: `${url}\n` })
  const again = await ask("publish", "--workspace", id, "--json")
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { name: "tea-list", url }])
  expect((await ask("unpublish", "tea-list")).code).toBe(0)
  expect(await ask("unpublish", "tea-list")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("no published app with this name"),
  })
})
