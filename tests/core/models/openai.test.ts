import { createOpenAiProvider } from "@switchyard/core/models/openai"
import { complete, type ModelRequest } from "@switchyard/core/models/provider"
import { describe, expect, it } from "vitest"
import * as z from "zod"
import { modelProviderContract, toolConversation } from "../../contracts/model-provider.ts"
import type { Turn } from "../../fixtures/model-server/script.ts"
import { ask } from "./asking.ts"

modelProviderContract("openai", {
  protocol: "openai",
  model: "gpt-4o",
  create: createOpenAiProvider,
  baseUrl: (server) => `${server}/v1`,
})

modelProviderContract("local", {
  protocol: "openai",
  model: "qwen2.5-coder:7b",
  create: (options) => createOpenAiProvider({ ...options, name: "local" }),
  baseUrl: (server) => `${server}/v1`,
})

const OPENAI = "https://api.openai.com/v1"

describe("OpenAI's own ways", () => {
  const askOpenAi = (turn: Turn, request: Partial<ModelRequest> & { model: string }, name?: "local") =>
    ask((options) => createOpenAiProvider({ ...options, name }), "/v1", turn, request)
  const output = (schema: z.ZodType) => ({ name: "plan", schema })

  it("asks for the usage of a stream", async () => {
    const { sent } = await askOpenAi({ text: ["ok"] }, { model: "gpt-4o" })
    expect(sent.stream_options).toEqual({ include_usage: true })
  })

  it("sends tool results by the id of their call, and never arguments that are no JSON", async () => {
    const { sent } = await askOpenAi({ text: ["ok"] }, { model: "gpt-4o", messages: toolConversation })
    const call = (id: string, args: string) => ({
      id,
      type: "function",
      function: { name: "write_file", arguments: args },
    })
    expect(sent.messages).toEqual([
      { role: "user", content: "Go" },
      { role: "assistant", content: null, tool_calls: [call("c1", '{"path":"a"}'), call("c2", "{}")] },
      { role: "tool", tool_call_id: "c1", content: "written" },
      { role: "tool", tool_call_id: "c2", content: "not JSON" },
    ])
  })

  it("is strict only where every key is required", async () => {
    const strict = output(z.object({ name: z.string() }))
    const loose = output(z.object({ name: z.string(), note: z.string().optional() }))
    const first = await askOpenAi({ json: {} }, { model: "gpt-4o", output: strict })
    const second = await askOpenAi({ json: {} }, { model: "gpt-4o", output: loose })
    expect(first.sent.response_format.json_schema.strict).toBe(true)
    expect(second.sent.response_format.json_schema.strict).toBe(false)
  })

  it("sends minimum lengths to servers of one's own, and not to OpenAI", async () => {
    const request = { model: "some", output: output(z.object({ steps: z.array(z.string()).min(1) })) }
    const stepsIn = async (name?: "local") => {
      const { sent } = await askOpenAi({ json: { steps: ["a"] } }, request, name)
      return sent.response_format.json_schema.schema.properties.steps
    }
    expect(await stepsIn("local")).toEqual({ type: "array", minItems: 1, items: { type: "string" } })
    expect(await stepsIn()).toMatchObject({ description: "(minItems: 1)" })
  })

  it("asks models from before structured outputs in words", async () => {
    const { sent } = await askOpenAi({ json: {} }, { model: "gpt-4-turbo", output: output(z.object({})) })
    expect(sent).not.toHaveProperty("response_format")
    expect(sent.messages[0].content).toContain("JSON Schema")
  })

  it("sends the common beginning before what is particular, as one text", async () => {
    const messages = [{ role: "user" as const, prefix: ["project", "file"], content: "task" }]
    const { sent } = await askOpenAi({ text: ["ok"] }, { model: "gpt-4o", messages })
    expect(sent.messages).toEqual([{ role: "user", content: "project\n\nfile\n\ntask" }])
  })

  it("merges messages of the user that follow each other, with their images", async () => {
    const image = { path: "artifacts/1", size: 1, media_type: "image/png", base64: "AA==" }
    const messages = [
      { role: "user" as const, prefix: ["project"], content: "task" },
      { role: "user" as const, content: "Look at this", images: [image] },
      { role: "assistant" as const, content: "I see." },
      { role: "user" as const, content: "Go on" },
    ]
    const { sent } = await askOpenAi({ text: ["ok"] }, { model: "gpt-4o", messages })
    const image_url = { url: "data:image/png;base64,AA==" }
    const both = [
      { type: "image_url", image_url },
      { type: "text", text: "project\n\ntask\n\nLook at this" },
    ]
    expect(sent.messages).toEqual([
      { role: "user", content: both },
      { role: "assistant", content: "I see." },
      { role: "user", content: "Go on" },
    ])
  })

  it.each([
    ["https://api.openai.com/v1", "run_1"],
    ["https://eu.api.openai.com/v1", "run_1"],
    ["https://api.openai.com.example.org/v1", undefined],
    ["http://127.0.0.1:8000/v1", undefined],
  ])("names the cache to OpenAI alone (%s)", async (baseUrl, key) => {
    expect((await sentTo(baseUrl, { cacheKey: "run_1" })).prompt_cache_key).toBe(key)
  })

  it.each([
    ["https://api.openai.com/v1", false],
    ["https://api.deepseek.com", "Hm."],
  ])("gives thoughts back to other servers than OpenAI's (%s)", async (baseUrl, thoughts) => {
    const raw = { reasoning_content: "Hm." }
    const messages = toolConversation.map((message) => (message.role === "assistant" ? { ...message, raw } : message))
    const sent = await sentTo(baseUrl, { messages })
    expect(sent.messages[1]).toHaveProperty("tool_calls")
    const given = sent.messages.map((message) => "reasoning_content" in message && message.reasoning_content)
    expect(given).toEqual([false, thoughts, false, false])
  })

  it("takes an answer that isn't streamed, though it was asked to be", async () => {
    const message = {
      role: "assistant",
      content: "Hello",
      tool_calls: [{ id: "c", function: { name: "look", arguments: "{}" } }],
    }
    const body = {
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    }
    const { answer } = await askOpenAi({ body }, { model: "some" }, "local")
    expect(answer).toMatchObject({ text: "Hello", toolCalls: [{ id: "c", args: {} }], usage: { input: 3, output: 4 } })
  })

  it.each([
    [OPENAI, { tool: "look" }, { type: "function", function: { name: "look" } }],
    [OPENAI, "required", "required"],
    ["https://api.deepseek.com", "required", undefined],
  ] as const)("demands a tool of OpenAI's own models alone (%s, %j)", async (baseUrl, toolChoice, demanded) => {
    const tools = [{ name: "look", description: "Looks.", parameters: z.object({}) }]
    expect((await sentTo(baseUrl, { tools, toolChoice })).tool_choice).toEqual(demanded)
  })

  it("limits the output by the name that the server knows", async () => {
    const openai = await askOpenAi({ text: ["ok"] }, { model: "o3-mini", maxOutputTokens: 9 })
    const local = await askOpenAi({ text: ["ok"] }, { model: "llama", maxOutputTokens: 9 }, "local")
    expect(openai.sent).toMatchObject({ max_completion_tokens: 9 })
    expect(local.sent).toMatchObject({ max_tokens: 9 })
  })
})

interface Sent {
  messages: object[]
  tool_choice?: unknown
  prompt_cache_key?: string
}

describe("a plan's limit", () => {
  const minute = "on tokens per min (TPM): Limit 30000, "
  it.each([
    [
      `Request too large for gpt-4o ${minute}Requested 342389.`,
      { errorType: "context_limit", retryable: false, limit: { tokens: 30_000, per: "minute", requested: 342_389 } },
      "Your plan at OpenAI allows 30,000 tokens a minute, and this request has 342,389.",
    ],
    [
      `Rate limit reached for gpt-4o ${minute}Used 29000, Requested 2000.`,
      { errorType: "rate_limit", retryable: true },
      "Your plan at OpenAI allows 30,000 tokens a minute.",
    ],
    [
      "Rate limit reached on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619.",
      { errorType: "rate_limit", limit: { per: "day" } },
      "Your plan at OpenAI allows 100,000 tokens a day.",
    ],
  ])("is named by the error for %j", async (message, fields, words) => {
    const fail = { kind: "rate_limit" as const, message }
    const asking = ask(createOpenAiProvider, "/v1", { fail }, { model: "gpt-4o" })
    await expect(asking).rejects.toMatchObject({ ...fields, message: words })
  })
})

/** Resolves to the body that a server at this address receives. */
async function sentTo(baseUrl: string, request: Partial<ModelRequest>): Promise<Sent> {
  let sent: Sent = { messages: [] }
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent = JSON.parse(String(init?.body))
    return new Response("{}", { status: 500 })
  }
  const provider = createOpenAiProvider({ apiKey: "sk-test", baseUrl, fetch })
  const whole: ModelRequest = {
    model: "gpt-4o",
    system: "",
    messages: [{ role: "user", content: "Hello" }],
    ...request,
  }
  await expect(complete(provider, whole, { signal: new AbortController().signal })).rejects.toThrow()
  return sent
}
