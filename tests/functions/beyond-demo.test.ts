import { createDemoProvider } from "@switchyard/demo-model"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startServer, type TestServer } from "./server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer({ scripted: createDemoProvider({ paceMs: 0, sleep: async () => {} }) })
})
afterAll(() => server.close())

it("tells whoever asks the demo for more than it can, and no operator", async () => {
  const run = await server.run({ user_prompt: "A quiz about rivers" })
  expect(run).toMatchObject({
    status: "failed",
    error: { message: expect.stringContaining("doesn't understand “rivers”") },
  })
  expect(server.reported).toEqual([])
})
