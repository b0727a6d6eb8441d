import { getEventListeners } from "node:events"
import { ModelError, type ModelErrorType } from "@switchyard/core/models/errors"
import {
  complete,
  type Message,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
} from "@switchyard/core/models/provider"
import type { ProviderOptions } from "@switchyard/core/models/sdk-options"
import fc from "fast-check"
import { afterEach, describe, expect, it } from "vitest"
import * as z from "zod"
import type { FailureKind } from "../fixtures/model-server/failures.ts"
import type { Turn, WireProtocol } from "../fixtures/model-server/script.ts"
import {
  frameBytes,
  type ModelServer,
  type Script,
  startModelServer,
  streamFrames,
} from "../fixtures/model-server/server.ts"

export interface ProviderUnderTest {
  protocol: WireProtocol
  /** Model that supports every feature. */
  model: string
  create(options: ProviderOptions): ModelProvider
  /** Returns the base URL of this server in the form that the provider's SDK expects. */
  baseUrl(server: string): string
}

const apiKey = "sk-test-0123456789"
const manyTexts = ["one", "two", "three", "four", "five", "six"]
const schema = z.object({ name: z.string(), files: z.array(z.object({ path: z.string() })) })
const writeFile = {
  name: "write_file",
  description: "Writes a file.",
  parameters: z.object({ path: z.string(), content: z.string() }),
}

/** A conversation with two tool calls in one turn. The second fails. */
export const toolConversation: Message[] = [
  { role: "user", content: "Go" },
  {
    role: "assistant",
    content: "",
    toolCalls: [
      { id: "c1", name: "write_file", args: { path: "a" }, rawArguments: '{"path":"a"}' },
      { id: "c2", name: "write_file", args: undefined, rawArguments: '{"path":' },
    ],
  },
  { role: "tool", toolCallId: "c1", content: "written" },
  { role: "tool", toolCallId: "c2", content: "not JSON", isError: true },
]

/** Registers the tests that every provider must pass, over HTTP in its own protocol. */
export function modelProviderContract(name: string, tested: ProviderUnderTest) {
  describe(`the ${name} provider`, () => {
    let server: ModelServer | undefined
    afterEach(() => server?.close())

    const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
      model: tested.model,
      system: "Be brief.",
      messages: [{ role: "user", content: "Hello" }],
      ...more,
    })
    const unused = () => new AbortController().signal

    async function serve(script: Script, options: Partial<ProviderOptions> = {}) {
      server = await startModelServer(script)
      return tested.create({ apiKey, baseUrl: tested.baseUrl(server.url), ...options })
    }

    async function run(turn: Turn, more: Partial<ModelRequest> = {}) {
      const provider = await serve([turn])
      return { answer: await complete(provider, request(more), { signal: unused() }), sent: server?.requests[0] }
    }

    async function fail(turn: Turn, options: Partial<ProviderOptions> = {}, more: Partial<ModelRequest> = {}) {
      const provider = await serve([turn], options)
      const events: ModelEvent[] = []
      const error = await collect(provider.stream(request(more), { signal: unused() }), events).catch((error) => error)
      expect(error).toBeInstanceOf(ModelError)
      return { error: error as ModelError, events }
    }

    it("streams text and says how it ended", async () => {
      const provider = await serve([{ text: ["Hel", "lo ", "wörld 🌍"] }])
      const events: ModelEvent[] = []
      await collect(provider.stream(request(), { signal: unused() }), events)

      expect(texts(events)).toEqual(["Hel", "lo ", "wörld 🌍"])
      expect(events.at(-1)).toMatchObject({ type: "end", stopReason: "end" })
      expect(events.filter((event) => event.type === "end")).toHaveLength(1)
    })

    it("sends model, system prompt, conversation and key", async () => {
      const { sent } = await run({ text: ["ok"] }, { maxOutputTokens: 77 })

      expect(sent?.apiKey).toBe(apiKey)
      expect(sent?.protocol).toBe(tested.protocol)
      expect(sent?.body).toMatchObject({ model: tested.model, stream: true })
      expect(JSON.stringify(sent?.body)).toContain("Be brief.")
      expect(JSON.stringify(sent?.body)).toContain("77")
      const content = tested.protocol === "bedrock" ? [{ text: "Hello" }] : "Hello"
      expect(sent?.body.messages.at(-1)).toEqual({ role: "user", content })
    })

    const image = { path: "artifacts/1", media_type: "image/png", size: 3, base64: "QUFB" }
    const seen: Message[] = [{ role: "user", content: "Build this.", images: [image], prefix: ["A page"] }]

    it("sends images before all texts, so that they belong to the prefix that is cached", async () => {
      const { sent } = await run({ text: ["ok"] }, { messages: seen, tools: [writeFile] })
      const [shown, ...texts] = sent?.body.messages.at(-1)?.content ?? []
      const openAi = { type: "image_url", image_url: { url: "data:image/png;base64,QUFB" } }
      const wires: Record<WireProtocol, object> = {
        anthropic: { type: "image", source: { type: "base64", media_type: "image/png", data: "QUFB" } },
        bedrock: { image: { format: "png", source: { bytes: "QUFB" } } },
        groq: openAi,
        openai: openAi,
      }
      expect(shown).toEqual(wires[tested.protocol])
      expect(JSON.stringify(texts)).toContain("Build this.")
      if (tested.protocol === "anthropic") expect(texts[0].cache_control).toEqual({ type: "ephemeral" })
      if (tested.protocol === "bedrock") expect(texts[1]).toEqual({ cachePoint: { type: "default" } })
    })

    it("says which model refused the images, and what to do", async () => {
      for (const message of [
        "messages.1: this model does not support image input",
        "messages[1].content must be a string",
        "No endpoints found that support multimodal input",
      ]) {
        const { error } = await fail({ fail: { kind: "invalid", message } }, {}, { messages: seen })
        expect([error.errorType, error.retryable]).toEqual(["invalid_request", false])
        expect(error.message).toContain(`/${tested.model} refused the images`)
        expect(error.message).toContain("Choose a model that takes such images, or leave them out.")
        await server?.close()
      }
      // A llama.cpp server without a projector sends this as a server error, but a retry can't succeed.
      const local = {
        kind: "server_error",
        message: "image input is not supported - hint: provide the mmproj",
      } as const
      expect((await fail({ fail: local }, {}, { messages: seen })).error.errorType).toBe("invalid_request")
      await server?.close()
      const other = { kind: "invalid", message: "image input is not supported" } as const
      expect((await fail({ fail: other })).error.message).not.toContain("refused the images")
    })

    it("sends no text that was cut inside a character, which an API may refuse for good", async () => {
      const cut = toolConversation.with(2, { role: "tool", toolCallId: "c1", content: "read \ud83d" })
      const { sent } = await run({ text: ["ok"] }, { system: "Be brief\ude00", messages: cut })

      const body = JSON.stringify(sent?.body)
      expect(body).toContain("read \ufffd")
      expect(body).toContain("Be brief\ufffd")
      expect(body).not.toContain("\\ud83d")
    })

    it("cuts no character between two pieces", async () => {
      const provider = await serve([{ text: ["one \ud83d", "\ude00", " two \ud83d", "\ude00", "\ud83d"] }])
      const events: ModelEvent[] = []
      await collect(provider.stream(request(), { signal: unused() }), events)

      expect(texts(events)).toEqual(["one ", "😀", " two ", "😀", "\ud83d"])
    })

    it("assembles tool calls from their deltas", async () => {
      const args = { path: "src/main.js", content: 'console.log("Grüße 🌍")\n' }
      const calls = [
        { name: "write_file", args, id: "first" },
        { name: "write_file", args: {}, id: "second" },
      ]
      const { answer, sent } = await run({ text: ["Writing."], toolCalls: calls }, { tools: [writeFile] })

      expect(answer).toMatchObject({ text: "Writing.", stopReason: "tool_calls" })
      expect(answer.toolCalls).toEqual([
        { id: "first", name: "write_file", args, rawArguments: JSON.stringify(args) },
        { id: "second", name: "write_file", args: {}, rawArguments: "{}" },
      ])
      const [tool] = sent?.body.tools ?? sent?.body.toolConfig.tools ?? []
      const parameters = tool.function?.parameters ?? tool.input_schema ?? tool.toolSpec.inputSchema.json
      expect(parameters).toMatchObject({ type: "object", required: ["path", "content"] })
    })

    it("shows calls and thoughts while they come", async () => {
      const args = { path: "a.js", content: "Grüße 🌍\n".repeat(4) }
      const calls = [
        { name: "write_file", args },
        { name: "look", args: { at: "b" } },
      ]
      const provider = await serve([{ thinking: "Let me see.", toolCalls: calls }])
      const events: ModelEvent[] = []
      await collect(provider.stream(request({ tools: [writeFile] }), { signal: unused() }), events)

      const thought = events.flatMap((event) => (event.type === "reasoning_delta" ? [event.chars] : []))
      expect(thought.reduce((sum, chars) => sum + chars)).toBe("Let me see.".length)
      const deltas = events.filter((event) => event.type === "tool_call_delta")
      const shown = Map.groupBy(deltas, ({ index }) => index)
      expect([...shown.values()].map((parts) => parts.map((part) => part.argumentsDelta).join(""))).toEqual(
        calls.map((call) => JSON.stringify(call.args)),
      )
      expect([...shown.values()].map(([first]) => first?.name)).toEqual(["write_file", "look"])
      expect(shown.values().next().value?.length).toBeGreaterThan(3)
      const types = events.map(({ type }) => type)
      expect(types.indexOf("tool_call_delta")).toBeLessThan(types.indexOf("tool_call"))
    })

    it("hands on arguments that are no JSON as they came", async () => {
      const { answer } = await run({ toolCalls: [{ name: "write_file", args: '{"path": "a' }] }, { tools: [writeFile] })
      expect(answer.toolCalls[0]).toMatchObject({ args: undefined, rawArguments: '{"path": "a' })
    })

    it("reads arguments with a slip, unless the answer is cut off", async () => {
      const toolCalls = [{ name: "write_file", args: '{"path": "a", "content": "one\ntwo",}' }]
      const args = { path: "a", content: "one\ntwo" }
      const { answer } = await run({ toolCalls }, { tools: [writeFile] })
      expect(answer.toolCalls).toMatchObject([{ args, rawArguments: JSON.stringify(args), note: expect.any(String) }])
      await server?.close()
      const cut = await run({ toolCalls, stopReason: "max_tokens" }, { tools: [writeFile] })
      expect(cut.answer.toolCalls).toMatchObject([{ args: undefined }])
    })

    it("takes a call without arguments for one of nothing", async () => {
      const { answer } = await run({ toolCalls: [{ name: "list_files", args: "" }] }, { tools: [writeFile] })
      expect(answer.toolCalls[0]?.args).toEqual({})
    })

    it("yields a structured answer as its JSON text", async () => {
      const json = { name: "Grüße", files: [{ path: "index.html" }] }
      const { answer, sent } = await run({ json }, { output: { name: "plan", schema } })

      expect(JSON.parse(answer.text)).toEqual(json)
      expect(answer).toMatchObject({ toolCalls: [], stopReason: "end" })
      const bedrock = sent?.body.toolConfig?.tools.at(-1).toolSpec.inputSchema.json
      const anthropic = sent?.body.output_config?.format?.schema
      const format = sent?.body.response_format?.json_schema?.schema ?? anthropic ?? bedrock
      expect(format).toMatchObject({ additionalProperties: false, required: ["name", "files"] })
      expect(format.properties.files.items).toMatchObject({ additionalProperties: false, required: ["path"] })
    })

    it("counts tokens once, the cache's apart", async () => {
      const usage = { input: 100, cacheRead: 40, output: 7 }
      const { answer } = await run({ text: ["ok"], usage })
      expect(answer.usage).toEqual({ input: 100, cacheRead: 40, cacheWrite: null, output: 7 })
    })

    it("reports null for tokens that were not reported", async () => {
      const bare = await run({ text: ["ok"], usage: { input: 3, output: 4 } })
      expect(bare.answer.usage).toEqual({ input: 3, cacheRead: null, cacheWrite: null, output: 4 })
      await server?.close()
      const none = await run({ text: ["ok"], usage: null })
      expect(none.answer.usage).toEqual({ input: null, cacheRead: null, cacheWrite: null, output: null })
    })

    it.each(["max_tokens", "refusal"] as const)("ends with %s when the provider says so", async (stopReason) => {
      const { answer } = await run({ text: ["half"], stopReason })
      expect(answer).toMatchObject({ text: "half", stopReason })
    })

    it.each<[FailureKind, ModelErrorType, boolean]>([
      ["rate_limit", "rate_limit", true],
      ["quota", "rate_limit", false],
      ["no_credit", "rate_limit", false],
      ["bad_key", "auth_error", false],
      ["forbidden", "auth_error", false],
      ["no_model", "invalid_request", false],
      ["context", "context_limit", false],
      ["too_large", "context_limit", false],
      ["invalid", "invalid_request", false],
      ["server_error", "connection_error", true],
      ["bad_gateway", "connection_error", true],
      ["unavailable", "connection_error", true],
      ["overloaded", "connection_error", true],
    ])("turns %s into %s", async (kind, errorType, retryable) => {
      const { error, events } = await fail({ fail: { kind } })
      expect(error).toMatchObject({ errorType, retryable, code: "model_error" })
      expect(error.details.error_type).toBe(errorType)
      // Bedrock's quota is a daily limit. With other providers, it means that the credit is used up.
      const quota = tested.protocol === "bedrock" ? "quota" : "credit"
      expect(error.usedUp).toBe({ quota, no_credit: "credit" }[kind as string])
      expect(error.message).not.toContain("<html>")
      expect(events).toEqual([])
      expect(server?.requests).toHaveLength(1)
    })

    it("names the model that the provider does not have", async () => {
      const { error } = await fail({ fail: { kind: "no_model" } })
      expect(error.message).toContain(`has no model "${tested.model}"`)
    })

    it("reads how long to wait", async () => {
      const now = Date.parse("2026-01-01T00:00:00Z")
      const waits: (number | undefined)[] = []
      const sent: Record<string, string>[] = [
        { "retry-after": "7" },
        { "retry-after-ms": "250", "retry-after": "1" },
        { "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" },
        { "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" },
        { "retry-after": "soon" },
        {},
      ]
      for (const headers of sent) {
        const { error } = await fail({ fail: { kind: "rate_limit", headers } }, { now: () => now })
        waits.push(error.retryAfterMs)
        await server?.close()
      }
      expect(waits).toEqual([7000, 250, 30_000, 0, undefined, undefined])
    })

    it("never repeats the key, whatever the provider answers", async () => {
      for (const kind of ["bad_key", "forbidden", "invalid", "server_error", "rate_limit"] as const) {
        const { error } = await fail({ fail: { kind, message: `Bad key ${apiKey}, really ${apiKey}` } })
        expect(everything(error)).not.toContain(apiKey)
        expect(error.message).toContain("[api key]")
        await server?.close()
      }
    })

    it("never repeats half of the key where it shortens what the provider says", async () => {
      const message = `${"x".repeat(1000 - apiKey.length / 2)}${apiKey}`
      const { error } = await fail({ fail: { kind: "invalid", message } })
      expect(error.message).not.toContain(apiKey.slice(0, 8))
      expect(error.message.length).toBeLessThan(1200)
    })

    it("never repeats a key that can't be sent", async () => {
      const bad = "sk-secret\nvalue"
      const { error } = await fail({ text: ["ok"] }, { apiKey: bad })
      expect(everything(error)).not.toContain("sk-secret")
    })

    it.each(["break", "end"] as const)("fails when the connection is cut in the middle: %s", async (kind) => {
      const { error, events } = await fail({ text: manyTexts, fault: { kind, afterFrames: 5 } })
      expect(error.errorType).toBe("connection_error")
      expect(texts(events)[0]).toBe("one")
      expect(events.some((event) => event.type === "end")).toBe(false)
    })

    it("fails when the connection is cut anywhere before the end", async () => {
      const whole = streamFrames(tested.protocol, { text: ["a", "b"] }, { model: tested.model })
      for (let afterFrames = 1; afterFrames < whole.length - 2; afterFrames++) {
        const { error } = await fail({ text: ["a", "b"], fault: { kind: "end", afterFrames } })
        expect(error.errorType).toBe("connection_error")
        await server?.close()
      }
    })

    it("hands on no call of an answer that is cut, which can be asked for again then", async () => {
      const turn: Turn = { toolCalls: [{ name: "write_file", args: { path: "a.js" } }] }
      const whole = streamFrames(tested.protocol, turn, { model: tested.model })
      const afterFrames = whole.findLastIndex((frame) => /"finish_reason":"|"message_delta"|messageStop/.test(frame))
      const { error, events } = await fail({ ...turn, fault: { kind: "end", afterFrames } })
      expect(error.errorType).toBe("connection_error")
      expect(events.map(({ type }) => type)).not.toContain("tool_call")
      expect(events.some(({ type }) => type === "tool_call_delta")).toBe(true)
    })

    it.each([301, 302, 307, 308])("follows no redirect (%i)", async (status) => {
      const location = `https://elsewhere.example/v1/${apiKey}?key=${apiKey}`
      const { error } = await fail({ send: (response) => response.writeHead(status, { location }).end() })
      expect(error).toMatchObject({ errorType: "invalid_request", retryable: false })
      expect(error.message).toContain("redirects to https://elsewhere.example/v1/[api key]. Redirects")
      expect(server?.requests).toHaveLength(1)
    })

    it("takes no web page for an answer", async () => {
      const send: Turn["send"] = (response) => {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<html>Welcome</html>")
      }
      const { error } = await fail({ send })
      expect(error).toMatchObject({ errorType: "invalid_request", retryable: false })
      expect(error.message).toContain("a web page")
    })

    it.each<[object | string, ModelErrorType, string]>([
      [{ code: 502, message: `It went away, ${apiKey}.` }, "connection_error", "It went away, [api key]."],
      [{ type: "overloaded_error", message: "Busy." }, "connection_error", "Busy."],
      [{ code: "invalid_api_key", message: "No such key." }, "auth_error", "No such key."],
      ["It is off.", "provider_error", "It is off."],
    ])("fails when an error comes as a success: %j", async (reported, errorType, words) => {
      const { error } = await fail({ body: { error: reported } })
      expect(error.errorType).toBe(errorType)
      expect(error.message).toContain(words)
    })

    it("fails with an error that comes as the text of a stream", async () => {
      const { error } = await fail({
        send(response) {
          response.writeHead(200, { "content-type": "text/event-stream" })
          response.write("\n ")
          response.end(
            JSON.stringify({ error: { type: "authentication_error", code: "invalid_api_key", message: "No." } }),
          )
        },
      })
      expect(error).toMatchObject({ errorType: "auth_error", retryable: false })
    })

    it.each<[object, ModelErrorType, string]>([
      [{ object: "error", message: "The context length is 9 tokens.", code: 400 }, "context_limit", "9 tokens."],
      [{ error: `No model for ${apiKey}.` }, "invalid_request", "No model for [api key]."],
      [{ detail: "Not found" }, "invalid_request", "responded with status 404: Not found"],
    ])("reads an error in other forms: %j", async (body, errorType, words) => {
      const { error } = await fail({
        send(response) {
          response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(body))
        },
      })
      expect(error.errorType).toBe(errorType)
      expect(error.message).toContain(words)
    })

    it("keeps an answer that was whole when the connection broke", async () => {
      const lasts: Partial<Record<WireProtocol, string>> = { anthropic: "message_stop", bedrock: "messageStop" }
      const last = lasts[tested.protocol] ?? "finish_reason"
      const send: Turn["send"] = (response, frames) => {
        const sent = frames.slice(0, frames.findLastIndex((frame) => frame.includes(last)) + 1)
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(frameBytes(tested.protocol, sent), () => response.socket?.resetAndDestroy())
      }
      const { answer } = await run({ text: ["ok"], send })
      expect(answer).toMatchObject({ text: "ok", stopReason: "end" })
    })

    it("fails when the connection breaks before the first byte", async () => {
      const { error } = await fail({ fault: { kind: "break", afterFrames: 0 } })
      expect(error.errorType).toBe("connection_error")
    })

    it("fails when nobody listens", async () => {
      const provider = await serve([])
      await server?.close()
      const error = await complete(provider, request(), { signal: unused() }).catch((error) => error)
      expect(error).toMatchObject({ errorType: "connection_error" })
      expect(error.message).toContain("ECONNREFUSED")
    })

    it("fails when the stream reports an error", async () => {
      const { error, events } = await fail({ text: manyTexts, fault: { kind: "error", afterFrames: 5 } })
      expect(error.errorType).toBe("connection_error")
      expect(texts(events)[0]).toBe("one")
    })

    it.each([0, 5])("gives up on a provider that is silent after %i frames", async (afterFrames) => {
      const turn: Turn = { text: manyTexts, fault: { kind: "hang", afterFrames } }
      const limits = afterFrames === 0 ? { firstByteTimeoutMs: 500 } : { idleTimeoutMs: 500 }
      const { error } = await fail(turn, limits)
      expect(error).toMatchObject({ errorType: "connection_error", retryable: true })
      expect(error.message).toContain("sent nothing for 0.5 s")
      expect(await server?.requests[0]?.closed).toEqual({ early: true })
    })

    it.each([0, 5])("closes the connection when it is aborted after %i frames", async (afterFrames) => {
      const controller = new AbortController()
      const reason = new Error("enough")
      const turn: Turn = { text: manyTexts, fault: { kind: "hang", afterFrames } }
      const provider = await serve(() => {
        if (afterFrames === 0) controller.abort(reason)
        return turn
      })
      const stop = async () => {
        for await (const _ of provider.stream(request(), { signal: controller.signal })) controller.abort(reason)
      }
      await expect(stop()).rejects.toBe(reason)
      expect(await server?.requests[0]?.closed).toEqual({ early: true })
    })

    it("closes the connection when the reader leaves", async () => {
      const provider = await serve([{ text: manyTexts, fault: { kind: "hang", afterFrames: 5 } }])
      for await (const _ of provider.stream(request(), { signal: unused() })) break
      expect(await server?.requests[0]?.closed).toEqual({ early: true })
    })

    it("asks nobody when it is aborted already", async () => {
      const provider = await serve([{ text: ["ok"] }])
      const reason = new Error("too late")
      await expect(complete(provider, request(), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
      expect(server?.requests).toHaveLength(0)
    })

    it("leaves nothing behind on a signal that outlives the call", async () => {
      const { signal } = new AbortController()
      const provider = await serve(() => ({ text: ["ok"] }))
      await complete(provider, request(), { signal })
      await complete(provider, request({ output: { name: "plan", schema } }), { signal }).catch(() => {})
      expect(getEventListeners(signal, "abort")).toEqual([])
    })

    it("reads a body that arrives in single bytes", async () => {
      const args = { content: "Grüße 🌍" }
      const { answer } = await run({
        text: ["Zeichen: 漢字 ", "🌍"],
        toolCalls: [{ name: "write_file", args }],
        pieceBytes: 1,
      })
      expect(answer.text).toBe("Zeichen: 漢字 🌍")
      expect(answer.toolCalls[0]?.args).toEqual(args)
    })

    it("yields the same events however the body is cut", async () => {
      const turn: Turn = {
        thinking: "Überlegung 🤔",
        text: ["Zeichen: ", "漢字 🌍", "\r\n\n"],
        toolCalls: [{ name: "write_file", args: { path: "ä.txt", content: "data: [DONE]\n\n" } }],
      }
      const body = frameBytes(tested.protocol, streamFrames(tested.protocol, turn, { model: tested.model }))
      const eventsOf = async (cuts: number[]) => {
        const provider = tested.create({
          apiKey,
          baseUrl: "https://model.test",
          fetch: async () => streamed(body, cuts),
        })
        const events: ModelEvent[] = []
        await collect(provider.stream(request(), { signal: unused() }), events)
        return events
      }
      const whole = await eventsOf([])
      expect(texts(whole).join("")).toBe("Zeichen: 漢字 🌍\r\n\n")
      const cuts = fc.uniqueArray(fc.integer({ min: 1, max: body.length - 1 }), { maxLength: 40 })
      await fc.assert(
        fc.asyncProperty(cuts, async (cuts) => {
          expect(await eventsOf(cuts)).toEqual(whole)
        }),
        { numRuns: 50 },
      )
    })
  })
}

async function collect(stream: AsyncIterable<ModelEvent>, events: ModelEvent[]) {
  for await (const event of stream) events.push(event)
}

function texts(events: ModelEvent[]): string[] {
  return events.flatMap((event) => (event.type === "text" ? [event.text] : []))
}

/** Returns every text of an error that could reach a log or a client, including its causes. */
function everything(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? ""
  return [error.message, error.stack, JSON.stringify({ ...error }), everything(error.cause)].join("\n")
}

function streamed(body: Buffer, cuts: number[]): Response {
  const edges = [0, ...cuts.toSorted((a, b) => a - b), body.length]
  const chunks = edges.slice(1).map((end, index) => body.subarray(edges[index], end))
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks.shift()
      if (chunk) controller.enqueue(chunk)
      else controller.close()
    },
  })
  return new Response(stream, { headers: { "content-type": "text/event-stream" } })
}
