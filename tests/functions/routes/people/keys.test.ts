import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createModelCatalog } from "@switchyard/core/models/catalog"
import type { ProviderId } from "@switchyard/core/models/providers/providers"
import { ownersDefaultModel } from "@switchyard/core/people/accounts/model-keys"
import { testKey } from "@switchyard/core/people/accounts/test-key"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type ModelServer, startModelServer } from "../../../fixtures/model-server/server.ts"
import { never } from "../../../settings.ts"
import { type Call, startServer, type TestServer } from "../../server.ts"

const KEY = "sk-ant-api03-9fJmZ0p9QdXwT4yKcR7u"
const NEXT = "sk-ant-api03-Hx2Lq8VbN5sWd1TzEo6k"
const GROQ = "gsk_5vJmZ0p9QdXwT4yKcR7u"

let provider: ModelServer
let server: TestServer
const said: string[] = []

beforeAll(async () => {
  provider = await startModelServer(() => ({ fail: { kind: "invalid", message: "Not today." } }))
  const gone = await startModelServer([])
  await gone.close()
  const env = {
    ANTHROPIC_BASE_URL: provider.url,
    OPENAI_BASE_URL: `${gone.url}/v1`,
    GROQ_BASE_URL: provider.url,
  }
  server = await startServer({ env })
})
afterAll(async () => {
  await server.close()
  await provider.close()
})
afterEach(async () => {
  for (const id of ["anthropic", "groq", "openai"]) await ask("DELETE", `/api/v1/keys/${id}`)
  for (const { name } of (await ask("GET", "/api/v1/accounts")).body.accounts) {
    await ask("DELETE", `/api/v1/accounts/${name}`)
  }
})

async function ask(method: string, path: string, json?: object, call: Call = {}) {
  const answer = await server.call(method, path, { json, ...call })
  said.push(answer.text, JSON.stringify([...answer.headers]))
  return answer
}

const save = (id: string, api_key: string, more: object = {}) => ask("PUT", `/api/v1/keys/${id}`, { api_key, ...more })
const sourceOf = async (id: string) =>
  (await ask("GET", "/v1/models")).body.providers.find((one: { id: string }) => one.id === id).key

describe("a saved key", () => {
  it("decides the default model wherever the installation has no key for its own, even in production", async () => {
    const saved = async (...providers: ProviderId[]) => {
      const core = server.core()
      for (const provider of providers)
        await core.accounts.keys.put("cy", { provider, apiKey: KEY, tested: true }, { signal: never })
      const models = (groq?: string) => ({
        ...{ development: false, allowScripted: false },
        ...(groq !== undefined && { providers: { groq: { apiKey: groq } } }),
      })
      const of = (groq?: string) => ownersDefaultModel({ ...core, models: models(groq) }, "cy", { signal: never })
      return [await of(), await of(GROQ)]
    }
    const usual = "groq/openai/gpt-oss-120b"
    expect(await saved()).toEqual([usual, usual])
    expect(await saved("anthropic")).toEqual([expect.stringMatching(/^anthropic\//), usual])
    expect(await saved("groq")).toEqual([usual, usual])
  })

  it("is tested with the provider's list of models, and known from then on", async () => {
    const before = provider.lists.length
    expect(await sourceOf("anthropic")).toBe("none")
    expect(await save("anthropic", KEY)).toMatchObject({
      status: 200,
      body: { provider: "anthropic", name: "Anthropic", tested: true, accounts: [] },
    })
    expect(provider.lists.slice(before).map(({ apiKey }) => apiKey)).toEqual([KEY])
    expect(await sourceOf("anthropic")).toBe("saved")
    expect((await ask("GET", "/api/v1/keys")).body.keys).toMatchObject([{ provider: "anthropic", tested: true }])
    // Each test of a key requests a fresh list.
    await save("anthropic", KEY)
    expect(provider.lists.length - before).toBe(2)
  })

  it.each([
    ["anthropic", "sk-ant-api03-is-refused", 422, "refused", "Anthropic refused this key."],
    ["groq", "gsk_that-is-empty", 502, "no_credit", "its Groq account has no credit left"],
    ["openai", "sk-proj-of-mine", 502, "unreachable", "couldn't be tested. OpenAI failed to list its models ("],
  ])("isn't saved if its test fails: %s %s", async (id, key, status, test, message) => {
    const refused = await save(id, key)
    expect(refused).toMatchObject({ status, body: { error: { details: { test, provider: id } } } })
    expect(refused.body.error.message).toContain(message)
    expect(refused.text).not.toContain(key)
    expect((await ask("GET", "/api/v1/keys")).body.keys).toEqual([])
    expect(server.reported).toEqual([])
  })

  it("can be saved without a test, and is marked as such", async () => {
    expect((await save("openai", "sk-proj-of-mine", { test: false })).body).toMatchObject({ tested: false })
    expect(await sourceOf("openai")).toBe("saved")
  })

  it.each([
    ["groq", KEY, 422],
    ["anthropic", "sk-ant-oat01-of-a-subscription", 422],
    ["anthropic", "two words", 422],
    ["anthropic", "", 422],
    ["anthropic", "\u202ekey", 422],
    ["anthropic", "k".repeat(4001), 422],
    ["local", "any", 422],
    ["scripted", "any", 404],
    ["claude-code", "any", 404],
    ["__proto__", "any", 404],
  ])("is never sent where it doesn't belong: %s %s", async (id, key, status) => {
    const before = provider.lists.length
    expect((await save(id, key)).status).toBe(status)
    expect(provider.lists.length).toBe(before)
    expect((await ask("GET", "/api/v1/keys")).body.keys).toEqual([])
  })

  it("is what runs use, unless the request has a key or its provider isn't the key's", async () => {
    await save("groq", GROQ)
    const listed = async (id: string, headers = {}) => {
      await ask("GET", `/v1/models/${id}`, undefined, { headers })
      return provider.lists.at(-1)?.apiKey
    }
    expect(await listed("groq")).toBe(GROQ)
    expect(await listed("groq", { "x-api-key": "gsk_in_the_header" })).toBe("gsk_in_the_header")
    const refused = await ask("POST", "/v1/runs", { user_prompt: "A list", model: "anthropic/claude-sonnet-5" })
    expect(refused.body.error.details).toMatchObject({ missing: "api_key", provider: "anthropic" })
    const { run_id, model } = (await ask("POST", "/v1/runs", { user_prompt: "A list" })).body
    expect(model).toBe("groq/openai/gpt-oss-120b")
    await server.ended(run_id)
    expect(new Set(provider.requests.map(({ apiKey }) => apiKey))).toEqual(new Set([GROQ]))
  })

  it("makes its provider's model the default instead of the demo", async () => {
    const usual = async () => (await ask("GET", "/v1/models")).body.default_model
    expect(await usual()).toBe("scripted/demo")
    await save("anthropic", KEY)
    expect(await usual()).toBe("anthropic/claude-sonnet-5")
    await ask("DELETE", "/api/v1/keys/anthropic")
    expect(await usual()).toBe("scripted/demo")
  })

  it("serves the company's agent too if asked, and goes with its replacement and removal", async () => {
    await ask("POST", "/api/v1/accounts", { name: "Claude", provider: "claude", api_key: "sk-ant-of-another" })
    expect((await save("anthropic", KEY, { use_for_agent: true })).body.accounts).toEqual(["claude-key"])
    expect((await save("anthropic", KEY, { use_for_agent: true })).body.accounts).toEqual(["claude-key"])
    expect((await ask("GET", "/api/v1/accounts/claude-key")).body).toMatchObject({ provider: "claude", has_key: true })

    // An account is listed only if it has exactly this key.
    expect((await save("anthropic", NEXT)).body.accounts).toEqual(["claude-key"])
    expect((await ask("GET", "/api/v1/keys")).body.keys).toMatchObject([{ accounts: ["claude-key"] }])
    await ask("PUT", "/api/v1/accounts/claude-key/role", { role: "VERIFICATION" })
    expect((await ask("DELETE", "/api/v1/keys/anthropic")).body).toMatchObject({
      deleted: true,
      accounts: ["claude-key"],
    })
    expect((await ask("GET", "/api/v1/accounts/claude-key")).status).toBe(404)
    expect((await ask("GET", "/api/v1/config/verification-agent")).body.account_name).toBeNull()
    expect((await ask("GET", "/api/v1/accounts/claude")).body).toMatchObject({ name: "Claude", has_key: true })
    expect((await ask("DELETE", "/api/v1/keys/anthropic")).status).toBe(404)
    expect((await save("groq", GROQ, { use_for_agent: true })).body.error.message).toContain("Groq has no coding agent")
  })

  it("is in no answer, and kept by nothing in the open", async () => {
    await save("anthropic", KEY, { use_for_agent: true })
    for (const [file, bytes] of await server.kept()) {
      for (const key of [KEY, NEXT, GROQ]) expect(bytes.includes(key.slice(8, 22)), file).toBe(false)
    }
    for (const key of [KEY, NEXT, GROQ]) expect(said.join("\n")).not.toContain(key.slice(8, 22))
  })
})

describe("the test of a key", () => {
  it("gives up on a slow provider, and says so", async () => {
    const slow = createServer(() => undefined)
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve))
    const baseUrl = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
    const catalog = createModelCatalog({ clock: { monotonic: () => 0 }, timeoutMs: 20 })
    const tested = testKey(catalog, { provider: "groq", apiKey: GROQ, baseUrl }, { signal: AbortSignal.any([]) })
    await expect(tested).rejects.toMatchObject({
      message: "The key couldn't be tested. Groq didn't list its models within 0.02 s.",
      details: { test: "unreachable", provider: "groq" },
    })
    slow.closeAllConnections()
    slow.close()
  })
})
