import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ModelServer, startModelServer } from "../../../fixtures/model-server/server.ts"
import { startServer, type TestServer } from "../../server.ts"

const SERVERS_KEY = "gsk_of_the_server"

let provider: ModelServer
let server: TestServer
beforeAll(async () => {
  provider = await startModelServer([])
  const env = {
    GROQ_API_KEY: SERVERS_KEY,
    GROQ_BASE_URL: provider.url,
    ANTHROPIC_BASE_URL: provider.url,
    LOCAL_BASE_URL: `${provider.url}/v1`,
  }
  server = await startServer({ env })
})
afterAll(async () => {
  await server.close()
  await provider.close()
})

const list = (path: string, key?: string) =>
  server.call("GET", `/v1/models${path}`, { headers: key ? { "x-api-key": key } : {} })

describe("GET /v1/models", () => {
  it("has the providers that are ready first, and says where their keys are from", async () => {
    const { status, body, text } = await list("")
    expect([status, body.default_model]).toEqual([200, "groq/openai/gpt-oss-120b"])
    expect(body.providers.map(({ id, ready, key }: Record<string, unknown>) => [id, ready, key])).toEqual([
      ["groq", true, "environment"],
      ["local", true, "none"],
      ["scripted", true, "none"],
      ["anthropic", false, "none"],
      ["openai", false, "none"],
    ])
    expect(body.providers.at(-1)).toMatchObject({ default_model: "openai/gpt-5", variable: "OPENAI_API_KEY" })
    expect(text).not.toContain(SERVERS_KEY)
  })

  it("knows a key that comes with the question by its form, and repeats nothing of it", async () => {
    const { body, text } = await list("", "sk-ant-of-mine")
    const sources = Object.fromEntries(body.providers.map(({ id, key }: Record<string, string>) => [id, key]))
    expect(sources).toMatchObject({ anthropic: "request", groq: "environment", openai: "none" })
    expect(text).not.toContain("of-mine")
  })
})

describe("GET /v1/models/{provider}", () => {
  it("is what the provider lists, asked with the server's key and then remembered", async () => {
    for (let times = 0; times < 2; times++) {
      const { status, body, text } = await list("/groq")
      expect([status, body.provider, body.complete]).toEqual([200, "groq", true])
      expect(body.models[0]).toEqual({
        name: "groq/openai/gpt-oss-120b",
        title: null,
        created_at: new Date(1_760_000_000_000).toISOString(),
        sees_images: false,
      })
      expect(text).not.toContain(SERVERS_KEY)
    }
    expect(provider.lists.map(({ apiKey }) => apiKey)).toEqual([SERVERS_KEY])
  })

  it("is asked with the key that comes along, or is refused by", async () => {
    const mine = await list("/anthropic", "sk-ant-mine")
    expect(mine.body.models[0]).toMatchObject({ name: "anthropic/claude-sonnet-5", title: "claude sonnet 5" })
    const refused = await list("/anthropic", "sk-ant-is-refused")
    expect(refused).toMatchObject({ status: 502, body: { error: { code: "model_error" } } })
    expect(refused.body.error.message).toBe("Anthropic refused the API key.")
    expect(server.reported).toEqual([])
  })

  it("asks nobody without a key, or with another provider's", async () => {
    const before = provider.lists.length
    const none = await list("/openai")
    expect(none).toMatchObject({ status: 422, body: { error: { code: "invalid_request" } } })
    expect(none.body.error.details).toMatchObject({ missing: "api_key", provider: "openai" })
    const foreign = await list("/groq", "sk-ant-mine")
    expect(foreign).toMatchObject({ status: 422, body: { error: { details: { key_of: "anthropic" } } } })
    expect(foreign.text).not.toContain("sk-ant-mine")
    expect(provider.lists).toHaveLength(before)
  })

  it("has the demo's and a local server's, and none of a provider that isn't", async () => {
    expect((await list("/scripted")).body.models).toMatchObject([{ name: "scripted/demo" }])
    expect((await list("/local")).body.models.length).toBeGreaterThan(0)
    for (const name of ["mistral", "__proto__", "GROQ"]) expect((await list(`/${name}`)).status).toBe(404)
  })
})

describe("the key of an account for an agent", () => {
  const account = (name: string, more: object) =>
    server.call("POST", "/api/v1/accounts", { json: { name, provider: "codex", ...more } })
  const openai = async (on = server) =>
    (await on.call("GET", "/v1/models")).body.providers.find(({ id }: { id: string }) => id === "openai")

  it("is used for models of the same company, where it has no address of its own and there is no other key", async () => {
    await account("elsewhere", { api_key: "sk-proj-elsewhere", base_url: "http://127.0.0.1:9" })
    expect(await openai()).toMatchObject({ key: "none", ready: false })
    await account("work", { api_key: "sk-proj-of-work" })
    expect(await openai()).toMatchObject({ key: "account", account: "work", ready: true })
    // The invalid workspace id stops the run before it costs money. The test only needs an error that isn't about a
    // missing key.
    const run = { user_prompt: "A page", model: "openai/gpt-5", workspace_id: "../x" }
    const refused = await server.call("POST", "/v1/runs", { json: run })
    expect(refused.body.error.message).toContain("workspace id")
  })

  it("is not sent to another address that the server has for the company", async () => {
    await server.call("POST", "/api/v1/accounts", { json: { name: "claude", provider: "claude", api_key: "sk-ant-1" } })
    expect((await list("")).body.providers).toContainEqual(expect.objectContaining({ id: "anthropic", key: "none" }))
    const plain = await startServer()
    try {
      const add = (name: string, api_key: string) =>
        plain.call("POST", "/api/v1/accounts", { json: { name, provider: "claude", api_key } })
      expect(await add("subscription", "sk-ant-oat01-mine")).toMatchObject({ status: 422 })
      const found = async () => (await plain.call("GET", "/v1/models")).body.providers
      expect(await found()).toContainEqual(expect.objectContaining({ id: "anthropic", key: "none" }))
      await add("own", "sk-ant-api03-mine")
      expect(await found()).toContainEqual(expect.objectContaining({ id: "anthropic", account: "own" }))
    } finally {
      await plain.close()
    }
  })
})

describe("in production", () => {
  it("there is no demo to name", async () => {
    const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"
    const closed = await startServer({ env: { APP_ENV: "production", ADMIN_TOKEN } })
    try {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
      const { body } = await closed.call("GET", "/v1/models", { headers })
      expect(body.providers.map(({ id }: { id: string }) => id)).not.toContain("scripted")
      expect((await closed.call("GET", "/v1/models/scripted", { headers })).status).toBe(404)
      expect((await closed.call("GET", "/v1/models")).status).toBe(401)
    } finally {
      await closed.close()
    }
  })
})
