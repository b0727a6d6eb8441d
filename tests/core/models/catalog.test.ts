import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createModelCatalog } from "@switchyard/core/models/catalog"
import { keyOfTheWorker } from "@switchyard/core/models/names"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type ModelServer, startModelServer } from "../../fixtures/model-server/server.ts"

const signal = new AbortController().signal

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer([])
})
afterEach(() => server.close())

function open(deps: { fetch?: typeof fetch; timeoutMs?: number } = {}) {
  const clock = { at: 0, monotonic: () => clock.at }
  return { clock, catalog: createModelCatalog({ clock, ...deps }) }
}

const names = ({ models }: { models: { name: string }[] }) => models.map(({ name }) => name)

describe("a provider's list of models", () => {
  it.each([
    ["groq", "", ["groq/openai/gpt-oss-120b", "groq/qwen/qwen3-32b", "groq/llama-3.3-70b-versatile"]],
    ["groq", "/openai/v1/", ["groq/openai/gpt-oss-120b", "groq/qwen/qwen3-32b", "groq/llama-3.3-70b-versatile"]],
    ["openai", "/v1", ["openai/gpt-5", "openai/gpt-4o"]],
    ["local", "/v1", ["local/gpt-5", "local/gpt-4o", "local/text-embedding-3-large", "local/gpt-4o-transcribe"]],
    ["anthropic", "", ["anthropic/claude-sonnet-5", "anthropic/claude-opus-4-5"]],
    ["anthropic", "/v1", ["anthropic/claude-sonnet-5", "anthropic/claude-opus-4-5"]],
  ] as const)(
    "is asked of %s at %j with its key, newest first, and has what answers in text",
    async (provider, path, all) => {
      const { catalog } = open()
      const list = await catalog.list({ provider, apiKey: "the-key", baseUrl: server.url + path }, { signal })
      expect(list.complete).toBe(true)
      expect(names(list)).toEqual(all)
      expect(server.lists.map(({ apiKey }) => apiKey)).toEqual(["the-key"])
    },
  )

  it("says which models take images, as far as the list or their names show it", async () => {
    const send: typeof fetch = async () =>
      Response.json({
        data: [
          { id: "a", capabilities: { image_input: { supported: true } } },
          { id: "b", architecture: { input_modalities: ["text"] } },
          { id: "c", capabilities: { vision: false } },
          { id: "d" },
          { id: "gpt-4o" },
          { id: "e", capabilities: "many" },
        ],
        models: [{ name: "d", capabilities: ["completion", "multimodal"] }],
      })
    const { models } = await open({ fetch: send }).catalog.list(
      { provider: "openai", apiKey: "k", baseUrl: undefined },
      { signal },
    )
    expect(models.map(({ name, sees_images }) => [name.slice(7), sees_images])).toEqual([
      ...[
        ["a", true],
        ["b", false],
        ["c", false],
        ["d", true],
        ["e", null],
        ["gpt-4o", true],
      ],
    ])
  })

  it("goes to the company itself where there is no other address", async () => {
    const asked: string[] = []
    const send: typeof fetch = async (input) => {
      asked.push(String(input))
      return Response.json({ data: [] })
    }
    const { catalog } = open({ fetch: send })
    for (const provider of ["groq", "openai", "anthropic"] as const) {
      await catalog.list({ provider, apiKey: "k", baseUrl: undefined }, { signal })
    }
    expect(asked).toEqual([
      "https://api.groq.com/openai/v1/models",
      "https://api.openai.com/v1/models",
      "https://api.anthropic.com/v1/models?limit=1000",
    ])
  })

  it("is remembered for five minutes, for this key and address only, and a failure not at all", async () => {
    const { catalog, clock } = open()
    const ask = (apiKey: string) => catalog.list({ provider: "groq", apiKey, baseUrl: server.url }, { signal })
    await Promise.all([ask("a"), ask("a")])
    clock.at = 299_000
    await ask("a")
    expect(server.lists).toHaveLength(1)
    await ask("b")
    clock.at = 300_000
    await ask("a")
    expect(server.lists.map(({ apiKey }) => apiKey)).toEqual(["a", "b", "a"])
    for (let tries = 0; tries < 2; tries++) await expect(ask("is-refused")).rejects.toThrow("refused")
    expect(server.lists).toHaveLength(5)
  })

  it("doesn't follow a redirect, which would take the key along", async () => {
    const front = createServer((_, response) => response.writeHead(302, { location: `${server.url}/v1/models` }).end())
    await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve))
    const baseUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}/v1`
    const list = open().catalog.list({ provider: "local", apiKey: "k", baseUrl }, { signal })
    await expect(list).rejects.toMatchObject({ errorType: "connection_error" })
    expect(server.lists).toEqual([])
    front.close()
  })

  it("forgets the oldest keys where there are too many", async () => {
    let asked = 0
    const send: typeof fetch = async () => {
      asked++
      return Response.json({ data: [] })
    }
    const { catalog } = open({ fetch: send })
    const ask = (apiKey: string) => catalog.list({ provider: "groq", apiKey, baseUrl: undefined }, { signal })
    for (let n = 0; n <= 200; n++) await ask(`key-${n}`)
    await ask("key-1")
    expect(asked).toBe(201)
    await ask("key-0")
    expect(asked).toBe(202)
  })

  it("is refused in clear words, and never with the key", async () => {
    const { catalog } = open()
    const access = { provider: "anthropic" as const, apiKey: "sk-ant-is-refused", baseUrl: server.url }
    const error = await catalog.list(access, { signal }).catch((error) => error)
    expect(error).toMatchObject({
      errorType: "auth_error",
      message: "Anthropic refused the API key.",
      details: { error_type: "auth_error", status: 401 },
    })
  })

  it.each([
    ["no JSON", () => new Response("<html>")],
    ["another answer", () => Response.json({ data: "none" })],
    ["an endless answer", () => new Response(`{"data": []${" ".repeat(4_000_000)}}`)],
    ["a fault", () => new Response("", { status: 500 })],
  ])("fails as the provider's for %s", async (_, answer) => {
    const { catalog } = open({ fetch: async () => answer() })
    const list = catalog.list({ provider: "groq", apiKey: "a-secret-key", baseUrl: undefined }, { signal })
    const error = await list.catch((error) => error)
    expect(error).toMatchObject({ code: "model_error", message: expect.stringMatching(/^Groq /) })
    expect(JSON.stringify(error) + error.stack).not.toContain("a-secret-key")
  })

  it("says where nobody listens, and doesn't wait for ever", async () => {
    await server.close()
    const gone = open().catalog.list({ provider: "local", apiKey: "k", baseUrl: server.url }, { signal })
    await expect(gone).rejects.toThrow("Local failed to list its models (ECONNREFUSED).")
    const never: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)))
    const slow = open({ fetch: never, timeoutMs: 1 }).catalog
    await expect(slow.list({ provider: "groq", apiKey: "k", baseUrl: undefined }, { signal })).rejects.toThrow(
      "Groq didn't list its models within 0.001 s.",
    )
  })

  it("is the default model alone where only workers have the key, and the demo's own", async () => {
    const { catalog } = open({ fetch: () => Promise.reject(new Error("Nobody is asked.")) })
    const list = (provider: "groq" | "scripted", apiKey: string) =>
      catalog.list({ provider, apiKey, baseUrl: undefined }, { signal })
    const worker = await list("groq", keyOfTheWorker)
    expect([worker.complete, names(worker)]).toEqual([false, ["groq/openai/gpt-oss-120b"]])
    const demo = await list("scripted", "")
    expect([demo.complete, names(demo)]).toEqual([true, ["scripted/demo"]])
  })
})
