import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../../server.ts"

const KEY = "sk-ant-api03-9fJmZ0p9QdXwT4yKcR7u"
const account = { name: "work", provider: "claude", api_key: KEY, reasoning: "high" }

let server: TestServer
beforeAll(async () => {
  server = await startServer({ env: { ANTHROPIC_API_KEY: "sk-of-the-server" } })
})
afterAll(() => server.close())

const post = (json: object) => server.call("POST", "/api/v1/accounts", { json })

describe("accounts over HTTP", () => {
  it("are made, shown and forgotten, and their keys told by none of that, and kept by nothing in the open", async () => {
    const said: string[] = []
    const ask = async (method: string, path: string, json?: object) => {
      const answer = await server.call(method, path, { json })
      said.push(answer.text, JSON.stringify([...answer.headers]))
      return answer
    }
    expect(await ask("POST", "/api/v1/accounts", account)).toMatchObject({
      status: 201,
      body: { name: "work", provider: "claude", reasoning: "high", has_key: true, ready: true },
    })
    expect((await ask("POST", "/api/v1/accounts", account)).body.error.code).toBe("account_exists")
    expect((await ask("GET", "/api/v1/accounts")).body).toMatchObject({ accounts: [{ name: "work" }], total: 1 })
    expect((await ask("GET", "/api/v1/accounts/work")).status).toBe(200)
    for (const [file, bytes] of await server.kept()) expect(bytes.includes(KEY.slice(4, 24)), file).toBe(false)
    expect((await ask("DELETE", "/api/v1/accounts/work")).body).toMatchObject({ account_name: "work", deleted: true })
    expect((await ask("DELETE", "/api/v1/accounts/work")).body.error.code).toBe("account_not_found")
    expect(said.join("\n")).not.toContain(KEY)
  })

  it.each([
    ["anthropic", "claude"],
    ["openai", "codex"],
    ["mistral", "vibe"],
    ["google", "gemini"],
    ["alibaba", "qwen"],
  ])("may name the company for its agent: %s", async (provider, agent) => {
    expect(await post({ name: provider, provider, api_key: "plain-key" })).toMatchObject({
      status: 201,
      body: { provider: agent },
    })
    await server.call("DELETE", `/api/v1/accounts/${provider}`)
  })

  it("have another model or reasoning when somebody says so, and nothing else changes", async () => {
    const before = (await post({ ...account, name: "chosen" })).body
    const put = (what: string, json: object, name = "CHOSEN") =>
      server.call("PUT", `/api/v1/accounts/${name}/${what}`, { json })
    expect((await put("model", { model: "opus" })).body).toEqual({ ...before, model: "opus" })
    expect((await put("reasoning", { reasoning: "low" })).body).toEqual({ ...before, model: "opus", reasoning: "low" })
    expect((await put("model", { model: "default" })).body).toEqual({ ...before, reasoning: "low" })
    for (const wrong of [{}, { model: "" }, { model: 3 }, { model: "a", other: 1 }]) {
      expect((await put("model", wrong)).status).toBe(422)
    }
    expect((await put("model", { model: "opus" }, "nobody")).body.error.code).toBe("account_not_found")
    expect((await server.call("GET", "/api/v1/accounts/chosen")).body).toEqual({ ...before, reasoning: "low" })
    await post({ name: "plain", provider: "gemini", api_key: "plain-key" })
    expect((await put("reasoning", { reasoning: "high" }, "plain")).status).toBe(422)
    for (const name of ["chosen", "plain"]) await server.call("DELETE", `/api/v1/accounts/${name}`)
  })

  it("that are refused don't say what key was sent", async () => {
    const wrong = await post({ ...account, api_key: `${KEY} with more` })
    expect(wrong.status).toBe(422)
    expect(wrong.text).not.toContain(KEY)
    expect((await post({ name: "none", provider: "codex" })).status).toBe(422)
    const foreign = await post({ ...account, provider: "codex" })
    expect(foreign).toMatchObject({ status: 422, body: { error: { details: { key_of: "anthropic" } } } })
    expect(foreign.text).not.toContain(KEY)
  })

  it.each(["no-such", "%00", "..%2F..", "__proto__", "%F0%9F%A6%8A"])("aren't found by %s", async (name) => {
    const { body } = await server.call("GET", `/api/v1/accounts/${name}`)
    expect(body.error.code).toBe("account_not_found")
  })

  it("are for providers, of which the mock is one in development only", async () => {
    const { providers } = (await server.call("GET", "/api/v1/providers")).body
    expect(providers).toContainEqual(expect.objectContaining({ type: "codex", needs_key: true, server_key: false }))
    expect(providers).toContainEqual(
      expect.objectContaining({ type: "claude", supports_reasoning: true, server_key: true }),
    )
    expect(providers).toContainEqual(expect.objectContaining({ type: "mock", needs_key: false, server_key: true }))
  })
})
