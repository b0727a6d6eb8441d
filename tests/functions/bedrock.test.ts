import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest"
import { KNOWN_SECRET } from "../fixtures/model-server/bedrock-wire.ts"
import { type ModelServer, startModelServer } from "../fixtures/model-server/server.ts"
import { startServer, type TestServer } from "./server.ts"

const MODEL = "us.amazon.nova-pro-v1:0"

let bedrock: ModelServer
let server: TestServer
beforeAll(async () => {
  bedrock = await startModelServer(() => ({ text: ["Hello from Bedrock."] }))
  const env = {
    BEDROCK_MODELS: `${MODEL},meta.closed-v1:0`,
    BEDROCK_REGION: "us-east-1",
    BEDROCK_BASE_URL: bedrock.url,
  }
  server = await startServer({ env })
})
beforeEach(() => {
  // The SDK's default credential chain reads these variables first.
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDTEST")
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", KNOWN_SECRET)
  vi.stubEnv("AWS_SESSION_TOKEN", "session/token")
})
afterAll(async () => {
  await server.close()
  await bedrock.close()
})

const ask = async (json: object) => {
  const session = await server.call("POST", "/api/v1/sessions", { json: {} })
  const path = `/api/v1/sessions/${session.body.id}/chat`
  return { path, asked: await server.call("POST", path, { json }) }
}

it("answers a chat with Bedrock's first model, without any key", async () => {
  const { path, asked } = await ask({ message: "Hello" })
  expect(await server.ended(asked.body.run_id)).toMatchObject({ status: "completed" })
  const { messages } = (await server.call("GET", path)).body
  expect(messages.at(-1).content).toBe("Hello from Bedrock.")
  expect(bedrock.requests.length).toBeGreaterThan(0)
  for (const { apiKey, body } of bedrock.requests) expect([apiKey, body.model]).toEqual([KNOWN_SECRET, MODEL])
})

it("lists Bedrock first, and of its models those that the account can use", async () => {
  const { body } = await server.call("GET", "/v1/models")
  expect(body.default_model).toBe(`bedrock/${MODEL}`)
  expect(body.providers.find(({ id }: { id: string }) => id === "bedrock")).toMatchObject({
    ...{ ready: true, key: "none", needs_key: false, default_model: `bedrock/${MODEL}`, variable: "BEDROCK_MODELS" },
  })
  const listed = await server.call("GET", "/v1/models/bedrock")
  expect(listed.body).toMatchObject({ complete: true, models: [{ name: `bedrock/${MODEL}` }] })
})

it("refuses a model of Bedrock that isn't set up", async () => {
  const { asked } = await ask({ message: "Hello", model: "bedrock/amazon.nova-lite-v1:0" })
  expect([asked.status, asked.body.error.code]).toEqual([422, "invalid_request"])
  expect(asked.body.error.message).toContain("BEDROCK_MODELS")
})
