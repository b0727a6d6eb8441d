import { createAnthropicProvider } from "@switchyard/core/models/anthropic"
import type { Message, ModelRequest } from "@switchyard/core/models/provider"
import { describe, expect, it } from "vitest"
import * as z from "zod"
import { modelProviderContract, toolConversation } from "../../contracts/model-provider.ts"
import type { Turn } from "../../fixtures/model-server/script.ts"
import { ask } from "./asking.ts"

modelProviderContract("anthropic", {
  protocol: "anthropic",
  model: "claude-sonnet-5",
  create: createAnthropicProvider,
  baseUrl: (server) => server,
})

describe("Anthropic's own ways", () => {
  const model = "claude-sonnet-5"
  const output = { name: "plan", schema: z.object({ name: z.string() }) }
  const tools = [{ name: "look", description: "Looks.", parameters: z.object({}) }]
  const askAnthropic = (turn: Turn, request: Partial<ModelRequest> = {}, path = "") =>
    ask(createAnthropicProvider, path, turn, { model, ...request })

  it("sends the results of one turn in one message", async () => {
    const { sent } = await askAnthropic({ text: ["ok"] }, { messages: toolConversation })
    expect(sent.messages).toEqual([
      { role: "user", content: "Go" },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "c1", name: "write_file", input: { path: "a" } },
          { type: "tool_use", id: "c2", name: "write_file", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "written" },
          { type: "tool_result", tool_use_id: "c2", content: "not JSON", is_error: true },
        ],
      },
    ])
  })

  it("takes a call's input that came with its beginning", async () => {
    const { answer } = await askAnthropic({
      send(response, frames) {
        const whole = frames.filter((frame) => !frame.includes("input_json_delta"))
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.end(whole.join("").replace('"input":{}', '"input":{"at":"a"}'))
      },
      toolCalls: [{ name: "look", args: { at: "a" } }],
    })
    expect(answer.toolCalls).toMatchObject([{ name: "look", args: { at: "a" }, rawArguments: '{"at":"a"}' }])
  })

  it.each<[string, (frame: string) => boolean | string, string]>([
    ["no beginning of a block", (frame) => !frame.includes("content_block_start"), "Hello."],
    ["no end of a block", (frame) => !frame.includes("content_block_stop"), "Hello."],
    ["an end without a reason", (frame) => frame.replace(/"delta":\{"stop_reason".*?\},/, ""), "Hello."],
    ["no message at its beginning", (frame) => frame.replace(/"message":\{.*\}(?=\})/, '"x":1'), "Hello."],
  ])("reads a stream that has %s", async (_, change, text) => {
    const { answer } = await askAnthropic({
      text: ["Hel", "lo."],
      send(response, frames) {
        response.writeHead(200, { "content-type": "text/event-stream" })
        const changed = frames.map(change).flatMap((kept, at) => (kept === true ? frames[at] : kept) || [])
        response.end(changed.join(""))
      },
    })
    expect(answer).toMatchObject({ text, stopReason: "end" })
  })

  it("keeps blocks apart that an imitation counts as one", async () => {
    const blocks = ["One. ", "Two."].map((text) => ({ type: "text", text }))
    const { answer } = await askAnthropic({
      blocks,
      send(response, frames) {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.end(frames.join("").replaceAll('"index":1', '"index":0'))
      },
    })
    expect(answer).toMatchObject({ text: "One. Two.", raw: blocks })
  })

  it("hands on a call that the limit cut, and no thought without its signature", async () => {
    const { answer } = await askAnthropic({
      thinking: "Hm.",
      toolCalls: [{ name: "look", args: '{"at":' }],
      stopReason: "max_tokens",
      send(response, frames) {
        response.writeHead(200, { "content-type": "text/event-stream" })
        const isKept = (frame: string) => !/signature_delta|content_block_stop/.test(frame)
        response.end(frames.filter(isKept).join(""))
      },
    })
    expect(answer).toMatchObject({ stopReason: "max_tokens", toolCalls: [{ name: "look", rawArguments: '{"at":' }] })
    expect(answer.raw).toMatchObject([{ type: "tool_use" }])
  })

  it("tells the reason of a refusal that is given, and takes the text for none", async () => {
    const refused = (stop_details: object | null) =>
      askAnthropic({
        text: ["Fir"],
        stopReason: "refusal",
        send(response, frames) {
          response.writeHead(200, { "content-type": "text/event-stream" })
          const details = `"stop_details":${JSON.stringify(stop_details)},"stop_reason":"refusal"`
          response.end(frames.join("").replace('"stop_reason":"refusal"', details))
        },
      })
    const told = await refused({ type: "refusal", category: "cyber", explanation: "It may be malware." })
    expect(told.answer).toMatchObject({ text: "Fir", stopReason: "refusal", reason: "It may be malware." })
    expect((await refused(null)).answer).not.toHaveProperty("reason")
  })

  it("takes an answer that isn't streamed, though it was asked to be", async () => {
    const content = [
      { type: "text", text: "Hello" },
      { type: "tool_use", id: "c", name: "look", input: { at: "a" } },
    ]
    const usage = { input_tokens: 3, output_tokens: 4 }
    const body = { type: "message", role: "assistant", content, stop_reason: "tool_use", usage }
    const { answer } = await askAnthropic({ body })
    expect(answer).toMatchObject({
      text: "Hello",
      stopReason: "tool_calls",
      usage: { input: 3, output: 4 },
      raw: content,
    })
    expect(answer.toolCalls).toMatchObject([{ id: "c", name: "look", args: { at: "a" } }])
  })

  it("sends signed thinking back as it came", async () => {
    const first = await askAnthropic({
      thinking: "Let me see.",
      text: ["Look", "ing."],
      toolCalls: [{ name: "look", args: { at: "a" } }],
    })
    const said: Message = { role: "assistant", content: first.answer.text, raw: first.answer.raw }
    const { sent } = await askAnthropic({ text: ["ok"] }, { messages: [{ role: "user", content: "Go" }, said] })
    expect(sent.messages[1].content).toEqual([
      { type: "thinking", thinking: "Let me see.", signature: "c2lnbmVk" },
      { type: "text", text: "Looking." },
      { type: "tool_use", id: "call_0", name: "look", input: { at: "a" } },
    ])
  })

  it("marks the beginnings that it is told of, and no others", async () => {
    const mark = { type: "ephemeral" }
    const messages: Message[] = [
      { role: "user", content: "Files" },
      { role: "assistant", content: "" },
      { role: "assistant", content: "Ok." },
      {
        role: "user",
        content: "Look",
        images: [{ path: "artifacts/1", size: 3, media_type: "image/png", base64: "AAAA" }],
      },
    ]
    const { sent } = await askAnthropic(
      { text: ["ok"] },
      { system: "Be brief.", messages, tools, cacheAfter: [-1, 2, 3] },
    )
    expect(sent.system).toEqual([{ type: "text", text: "Be brief.", cache_control: mark }])
    expect(sent.messages[0].content).toBe("Files")
    expect(sent.messages[1].content).toEqual([{ type: "text", text: "Ok.", cache_control: mark }])
    expect(sent.messages[2].content.map((block: object) => "cache_control" in block)).toEqual([false, true])
    const unmarked = await askAnthropic({ text: ["ok"] }, { system: "Be brief.", messages, tools, cacheAfter: [] })
    expect(JSON.stringify(unmarked.sent)).not.toContain("cache_control")
  })

  it("leaves out texts and turns that are empty, which Anthropic refuses", async () => {
    const messages: Message[] = [
      { role: "user", content: "Go" },
      { role: "assistant", content: "" },
      {
        role: "assistant",
        content: "Hm",
        raw: [
          { type: "text", text: "" },
          { type: "text", text: "Hm" },
        ],
      },
    ]
    const { sent } = await askAnthropic({ text: ["ok"] }, { messages })
    expect(sent.messages.slice(1)).toEqual([{ role: "assistant", content: [{ type: "text", text: "Hm" }] }])
  })

  it("counts what was written to the cache", async () => {
    const { answer } = await askAnthropic({ text: ["ok"], usage: { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 } })
    expect(answer.usage).toEqual({ input: 1, cacheRead: 2, cacheWrite: 3, output: 4 })
  })

  it("forces a tool where the model has no output format, and yields its input as the text", async () => {
    const { answer, sent } = await askAnthropic({ json: { name: "x" } }, { model: "claude-3-5-haiku-latest", output })
    expect(sent.tool_choice).toEqual({ type: "tool", name: "plan" })
    expect(sent).not.toHaveProperty("output_config")
    expect(answer).toMatchObject({ text: '{"name":"x"}', toolCalls: [], stopReason: "end", raw: undefined })
  })

  it("lets such a model use its other tools first", async () => {
    const turn = { toolCalls: [{ name: "look", args: {} }] }
    const { answer, sent } = await askAnthropic(turn, { model: "claude-3-5-haiku-latest", output, tools })
    expect(sent.tool_choice).toEqual({ type: "any" })
    expect(answer.toolCalls.map((call) => call.name)).toEqual(["look"])
    expect(answer.stopReason).toBe("tool_calls")
  })

  it("forces a tool for a schema with free keys, which output formats can't say", async () => {
    const free = { name: "plan", schema: z.object({ files: z.record(z.string(), z.string()) }) }
    const { answer, sent } = await askAnthropic({ json: { files: { a: "b" } } }, { output: free })
    expect(sent.tool_choice).toEqual({ type: "tool", name: "plan" })
    expect(JSON.parse(answer.text)).toEqual({ files: { a: "b" } })
  })

  it.each([
    ["claude-3-haiku-20240307", 4096],
    ["claude-3-5-sonnet-latest", 8192],
    ["claude-sonnet-5", 32_000],
  ])("asks %s for no more than it can write", async (model, limit) => {
    expect((await askAnthropic({ text: ["ok"] }, { model })).sent.max_tokens).toBe(limit)
  })

  describe("where requests go on", () => {
    const tools = [{ name: "look", description: "Looks.", parameters: z.object({}) }]
    const mark = { type: "ephemeral" }

    it("marks the system prompt, the common beginning and the last message for the cache, and nothing else", async () => {
      const first = { role: "user" as const, prefix: ["project", "file"], content: "task" }
      const messages = [first, ...toolConversation.slice(1)]
      const { sent } = await askAnthropic({ text: ["ok"] }, { system: "Be brief.", tools, messages })
      expect(sent.system).toEqual([{ type: "text", text: "Be brief.", cache_control: mark }])
      expect(sent.messages[0].content).toEqual([
        { type: "text", text: "project\n\n" },
        { type: "text", text: "file\n\n", cache_control: mark },
        { type: "text", text: "task" },
      ])
      expect(sent.messages.at(-1).content.at(-1)).toMatchObject({ type: "tool_result", cache_control: mark })
      expect(JSON.stringify(sent).split("cache_control")).toHaveLength(4)
    })

    it("marks one message as both the first and the last", async () => {
      const messages = [{ role: "user" as const, prefix: ["project"], content: "task" }]
      const { sent } = await askAnthropic({ text: ["ok"] }, { tools, messages })
      expect(sent.messages[0].content.map((block: object) => "cache_control" in block)).toEqual([true, true])
    })

    it.each([
      ["required", { type: "any" }],
      [{ tool: "look" }, { type: "tool", name: "look" }],
    ] as const)("demands a tool (%j)", async (toolChoice, sent) => {
      expect((await askAnthropic({ text: ["ok"] }, { tools, toolChoice })).sent.tool_choice).toEqual(sent)
    })

    it("marks nothing that is asked only once", async () => {
      const { sent } = await askAnthropic({ text: ["ok"] }, { system: "Be brief." })
      expect(JSON.stringify(sent)).not.toContain("cache_control")
    })
  })

  it("takes the base URL with or without its version", async () => {
    for (const path of ["", "/", "/v1", "/v1/"]) {
      expect((await askAnthropic({ text: ["ok"] }, {}, path)).path).toBe("/v1/messages")
    }
  })
})
