import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { startServer, type TestServer } from "./server.ts"

const KEY = "sk-5vJmZ0p9QdXwT4yKcR7uWGdyb3FYn1LhB8sEaO2iUxVfMkPtHqZ6"

let server: TestServer
afterEach(() => server.close())

/** Stops the server, replaces its master key, and starts it again. Resolves to the previous key. */
async function restartWith(masterKey: Uint8Array): Promise<Buffer> {
  await server.stop()
  const file = join(server.folder, "master.key")
  const before = readFileSync(file)
  writeFileSync(file, masterKey)
  server = await startServer({ after: server })
  return before
}

it("says that a different master key opens nothing, loses nothing, and goes on once the right one is back", async () => {
  server = await startServer()
  const json = { name: "work", provider: "mock", model: "small", api_key: KEY }
  expect((await server.call("POST", "/api/v1/accounts", { json })).status).toBe(201)
  const settings = [{ event: "session_usage", threshold: 100, action: "await_reset" }]
  await server.call("PUT", "/api/v1/config/action-settings", { json: { settings, max_waits: 2 } })
  const { id } = (await server.call("POST", "/api/v1/sessions")).body
  const begin = (knobs: object) => {
    const asked = { coding_agent: "work", task_description: `Write. mock: ${JSON.stringify(knobs)}` }
    return server.call("POST", `/api/v1/sessions/${id}/tasks`, { json: asked })
  }
  const { body: task } = await begin({
    limit: { until: "2099-01-01T00:00:00.000Z", turns: 1 },
    files: { "a.txt": "a" },
  })
  const statusOf = async () => (await server.call("GET", `/v1/runs/${task.task_id}`)).body.status
  await expect.poll(statusOf).toBe("parked")

  const right = await restartWith(randomBytes(32))
  const refused = await begin({})
  expect([refused.status, refused.body.error]).toMatchObject([500, { code: "secret_unreadable" }])
  expect(refused.body.error.message).toContain("a different master key")
  const { body } = await server.call("GET", "/api/v1/accounts")
  expect(body.accounts).toMatchObject([{ name: "work", has_key: true }])
  expect(await statusOf()).toBe("parked")

  await restartWith(right)
  expect((await server.call("POST", `/api/v1/sessions/${id}/resume`)).body).toMatchObject({ resumed: true })
  expect(await server.ended(task.task_id)).toMatchObject({ status: "completed" })
})
