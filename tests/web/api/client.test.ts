import { describe, expect, it } from "vitest"
import { createApi } from "../../../packages/web/src/api/client.ts"
import { anything } from "../../../packages/web/src/api/decode.ts"

/** Creates an API client whose server records the key of each request, and responds with `answer`. */
function open({ answer = () => Response.json({}) } = {}) {
  const keys: (string | null)[] = []
  const missing: (string | null)[] = []
  const api = createApi({
    base: "http://studio.test",
    fetch: async (_, init) => {
      keys.push(new Headers(init?.headers).get("x-api-key"))
      return answer()
    },
    csrfToken: () => null,
    onUnauthorized: () => undefined,
    onKeyMissing: (provider) => void missing.push(provider),
  })
  return { api, keys, missing }
}

const run = { body: { user_prompt: "A page" }, response: anything }

describe("a request", () => {
  it("has a key only if it is given one", async () => {
    const { api, keys } = open()
    await api.call("POST /v1/runs", { ...run, modelKey: "sk-ant-mine" })
    await api.call("POST /v1/runs", { ...run, modelKey: null })
    await api.call("GET /v1/models", { response: anything })
    await api.call("GET /api/v1/sessions", { response: anything })
    expect(keys).toEqual(["sk-ant-mine", null, null, null])
  })

  it("for files has something in a key's place, which the server may require, and no real key", async () => {
    const { api, keys } = open()
    await api.call("GET /workspace/tree", { query: { workspace_id: "x" }, response: anything })
    await api.follow("/workspace/archives/x", anything)
    expect(keys).toEqual(["no-key-needed", "no-key-needed"])
  })

  it("that has wrong fields says which, and what is wrong with them", async () => {
    const errors = [{ field: "user_prompt", message: "It is longer than 200,000 characters." }]
    const error = { code: "validation_error", message: "The request is not valid.", details: { errors } }
    const { api } = open({ answer: () => Response.json({ error }, { status: 422 }) })
    await expect(api.call("POST /v1/runs", run)).rejects.toThrow(
      "The request is not valid. user_prompt: It is longer than 200,000 characters.",
    )
  })

  it("that lacks a key says for which provider", async () => {
    const refusal = (code: string, details: object) => () =>
      Response.json({ error: { code, message: "No.", details } }, { status: 422 })
    for (const [code, details, provider] of [
      ["invalid_request", { missing: "api_key", provider: "openai" }, ["openai"]],
      ["invalid_request", { provider: "groq", key_of: "anthropic" }, []],
    ] as const) {
      const { api, missing } = open({ answer: refusal(code, details) })
      await expect(api.call("POST /v1/runs", run)).rejects.toThrow("No.")
      expect(missing).toEqual(provider)
    }
  })
})
