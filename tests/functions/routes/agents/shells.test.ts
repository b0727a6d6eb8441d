import { afterAll, beforeAll, expect, it } from "vitest"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

it("opens eight shells of a session, and refuses the ninth", async () => {
  const session = await openSession(server)
  expect((await session.ask("POST", "", { json: {} })).status).toBe(201)
  const open = () => session.ask("POST", "/shell", { json: {} })
  const answers = await Promise.all(Array.from({ length: 9 }, open))
  expect(answers.filter(({ body }) => body.pty !== undefined)).toHaveLength(8)
  const [refused] = answers.filter(({ status }) => status !== 200)
  expect(refused).toMatchObject({ status: 403, body: { error: { code: "limit_reached" } } })
  expect(server.reported).toEqual([])
})
