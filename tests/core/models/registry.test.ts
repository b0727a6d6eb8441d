import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { complete, type ModelProvider } from "@switchyard/core/models/provider"
import { createModelRegistry } from "@switchyard/core/models/registry"
import { afterEach, describe, expect, it, vi } from "vitest"
import { KNOWN_SECRET } from "../../fixtures/model-server/bedrock-wire.ts"
import { startModelServer } from "../../fixtures/model-server/server.ts"

const scripted: ModelProvider = {
  name: "scripted",
  async *stream() {
    yield { type: "end", stopReason: "end" }
  },
}

describe("createModelRegistry", () => {
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  it("opens the named provider with its URL and key, and asks it for its own name of the model", async () => {
    const server = await startModelServer(() => ({ text: ["ok"] }))
    const credentials = { accessKeyId: "AKIDTEST", secretAccessKey: KNOWN_SECRET }
    const models = createModelRegistry(
      {
        providers: {
          groq: { apiKey: "g", baseUrl: server.url },
          openai: { apiKey: "o", baseUrl: `${server.url}/v1` },
          anthropic: { apiKey: "a", baseUrl: server.url },
          local: { baseUrl: `${server.url}/v1` },
          bedrock: { baseUrl: server.url },
        },
        bedrock: { models: ["amazon.nova-pro-v1:0"], region: "us-east-1" },
        development: false,
        allowScripted: false,
      },
      { scripted, aws: { region: "us-east-1", credentials: async () => credentials } },
    )
    const named = ["groq/openai/gpt-oss-120b", "openai/gpt-4o", "anthropic/claude-sonnet-5", "local/llama"]
    const names = [...named, "bedrock/amazon.nova-pro-v1:0"]
    for (const name of names) {
      const { provider, model, label } = models.open(name, "general", name.startsWith("local") ? "l" : undefined)
      const request = { model, system: "", messages: [{ role: "user" as const, content: "Hi" }] }
      await complete(provider, request, { signal: new AbortController().signal })
      expect(label).toBe(name)
    }
    expect(server.requests.map(({ protocol, apiKey, body }) => [protocol, apiKey, body.model])).toEqual([
      ["groq", "g", "openai/gpt-oss-120b"],
      ["openai", "o", "gpt-4o"],
      ["anthropic", "a", "claude-sonnet-5"],
      ["openai", "l", "llama"],
      ["bedrock", KNOWN_SECRET, "amazon.nova-pro-v1:0"],
    ])
    await server.close()
  })

  it("hands out the scripted provider that it was given", () => {
    const models = createModelRegistry({ development: true, allowScripted: true }, { scripted })
    expect(models.open(undefined, "workflow")).toEqual({ provider: scripted, model: "demo", label: "scripted/demo" })
  })

  it("lets no SDK take keys or addresses from the environment", async () => {
    const server = await startModelServer(() => ({ text: ["ok"] }))
    for (const name of ["OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"]) {
      vi.stubEnv(name, "from-the-environment")
    }
    for (const name of ["GROQ_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]) {
      vi.stubEnv(name, "from-the-environment")
    }
    const reached: string[] = []
    const models = createModelRegistry(
      { development: false, allowScripted: false },
      {
        scripted,
        fetch(input, init) {
          const url = new URL(String(input))
          reached.push(url.origin)
          return fetch(`${server.url}${url.pathname}`, init)
        },
      },
    )
    vi.stubEnv("GROQ_BASE_URL", "http://from-the-environment")
    vi.stubEnv("OPENAI_BASE_URL", "http://from-the-environment")
    vi.stubEnv("ANTHROPIC_BASE_URL", "http://from-the-environment")
    for (const name of ["groq/m", "openai/m", "anthropic/m"]) {
      const { provider, model } = models.open(name, "workflow", "callers-key")
      const request = { model, system: "", messages: [{ role: "user" as const, content: "Hi" }] }
      await complete(provider, request, { signal: new AbortController().signal })
    }
    expect(reached).toEqual(["https://api.groq.com", "https://api.openai.com", "https://api.anthropic.com"])
    expect(server.requests.map((request) => request.apiKey)).toEqual(["callers-key", "callers-key", "callers-key"])
    expect(JSON.stringify(server.requests.map((request) => request.headers))).not.toContain("from-the-environment")
    await server.close()
  })

  it.each([
    ["groq/m", {}, 120, 120],
    ["local/m", {}, 1200, 600],
    ["groq/m", { timeouts: { firstByteMs: 7000 }, localTimeouts: { firstByteMs: 9000, idleMs: 8000 } }, 7, 120],
    ["local/m", { timeouts: { firstByteMs: 7000 }, localTimeouts: { idleMs: 8000 } }, 1200, 8],
  ])("lets %s with %j be silent for %i s at first and for %i s later", async (name, timeouts, first, later) => {
    const providers = { groq: { apiKey: "g" }, local: { baseUrl: "http://local.test" } }
    const config = { providers, development: false, allowScripted: false }
    const text = `data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n`
    const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(text)) })
    const fetch = async (_input: unknown, init?: RequestInit) => {
      const abortable = body.pipeThrough(new TransformStream(), { signal: init?.signal ?? undefined })
      return new Response(abortable, { headers: { "content-type": "text/event-stream" } })
    }
    const models = createModelRegistry({ ...config, ...timeouts }, { scripted, fetch })
    const { provider, model } = models.open(name, "general")
    const controller = new AbortController()
    const request = { model, system: "", messages: [{ role: "user" as const, content: "Hi" }] }
    const timers = vi.spyOn(globalThis, "setTimeout")
    const limits = () => timers.mock.calls.flatMap(([, ms]) => (ms && ms < 2 ** 31 - 1 ? [ms] : []))
    const stream = provider.stream(request, controller)[Symbol.asyncIterator]()
    await stream.next()
    expect(new Set(limits())).toEqual(new Set([first * 1000]))
    const stopped = expect(stream.next()).rejects.toThrow("enough")
    controller.abort(new Error("enough"))
    await stopped
    expect(limits().at(-1)).toBe(later * 1000)
  })

  it("loads no SDK before a model is used", () => {
    const catalog = fileURLToPath(new URL("../../../packages/core/src/models/registry.ts", import.meta.url))
    const script = `
      import { registerHooks } from "node:module"
      const loaded = []
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
      await import(${JSON.stringify(catalog)})
      console.log(JSON.stringify(loaded))`
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })
    const loaded: string[] = JSON.parse(output)
    expect(loaded.some((url) => url.endsWith("/models/groq.ts"))).toBe(true)
    expect(loaded.filter((url) => /node_modules\/(groq-sdk|openai|@anthropic-ai|@langchain)\//.test(url))).toEqual([])
  })
})
