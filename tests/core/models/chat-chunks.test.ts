import { type ChatChunk, chatEvents, finishToolCall } from "@switchyard/core/models/chat-chunks"
import type { ModelEvent } from "@switchyard/core/models/provider"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("the arguments of a call", () => {
  const finish = (rawArguments: string, isCut = false) =>
    finishToolCall({ id: "1", name: "a", rawArguments }, { isCut })

  it("are never corrected if they are valid", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), (args) => {
        const rawArguments = JSON.stringify(args)
        expect(finish(rawArguments)).toEqual({ id: "1", name: "a", args: JSON.parse(rawArguments), rawArguments })
      }),
    )
  })

  it("are an object without members where a model sends nothing", () => {
    for (const raw of ["", " ", "null"]) expect(finish(raw)).toEqual({ id: "1", name: "a", args: {}, rawArguments: "" })
  })

  it("are corrected only in a whole answer, and only to an object", () => {
    expect(finish('{"a": 1,}')).toMatchObject({ args: { a: 1 }, rawArguments: '{"a":1}', note: expect.any(String) })
    expect(finish('"{\\"a\\": 1}"')).toMatchObject({ args: { a: 1 }, rawArguments: '{"a":1}' })
    expect(finish('{"a": 1,}', true)).toMatchObject({ args: undefined, rawArguments: '{"a": 1,}' })
    expect(finish("[1,]")).toMatchObject({ args: undefined })
    expect(finish("[1]")).toEqual({ id: "1", name: "a", args: [1], rawArguments: "[1]" })
  })
})

describe("chatEvents", () => {
  it("takes whole calls without an index, as some servers send them", async () => {
    const call = (name: string) => ({ function: { name, arguments: '{"a":1}' } })
    const events = await eventsOf([
      { choices: [{ delta: { tool_calls: [call("one"), call("two")] } }] },
      { choices: [{ delta: {}, finish_reason: "stop" }] },
    ])
    expect(events.filter(({ type }) => type !== "tool_call_delta")).toEqual([
      { type: "tool_call", call: { id: "call_0", name: "one", args: { a: 1 }, rawArguments: '{"a":1}' } },
      { type: "tool_call", call: { id: "call_1", name: "two", args: { a: 1 }, rawArguments: '{"a":1}' } },
      { type: "end", stopReason: "tool_calls" },
    ])
  })

  const whole = (name: string) => ({ function: { name, arguments: '{"a":1}' } })
  const begun = (name: string, more: object) => ({ ...more, function: { name, arguments: "" } })
  const ended = (more: object) => [
    { ...more, function: { arguments: '{"a"' } },
    { ...more, function: { arguments: ":1}" } },
  ]

  it.each([
    ["whole, all as the first", ["x", "y"].map((id) => ({ index: 0, id, ...whole(id) }))],
    ["whole, all as the first and without ids", ["x", "y"].map((id) => ({ index: 0, id: "", ...whole(id) }))],
    ["whole and of one name, without index and id", [whole("x"), whole("x")]],
    ["in parts, all as the first", ["x", "y"].flatMap((id) => [begun(id, { index: 0, id }), ...ended({ index: 0 })])],
    ["in parts without index", ["x", "y"].flatMap((id) => [begun(id, { id }), ...ended({ id })])],
    ["in parts that have no index, and an id at first", ["x", "y"].flatMap((id) => [begun(id, { id }), ...ended({})])],
    ["in parts that have no index and no id", ["x", "y"].flatMap((name) => [begun(name, {}), ...ended({})])],
    [
      "in parts that have an id each",
      ["x", "y"].flatMap((id, index) => [
        begun(id, { index, id }),
        ...ended({ index }).map((part, at) => ({ ...part, id: `${id}${at}` })),
      ]),
    ],
    [
      "in parts that repeat name and id",
      ["x", "y"].flatMap((id) => [
        begun(id, { index: 0, id }),
        ...ended({ index: 0, id }).map((part) => ({ ...part, function: { ...part.function, name: id } })),
      ]),
    ],
    [
      "counted from behind",
      ["x", "y"].flatMap((id, at) => [begun(id, { index: 9 - at, id }), ...ended({ index: 9 - at })]),
    ],
  ])("tells calls apart that come %s", async (_, parts) => {
    const chunks: ChatChunk[] = parts.map((part) => ({ choices: [{ delta: { tool_calls: [part] } }] }))
    const events = await eventsOf([...chunks, { choices: [{ finish_reason: "tool_calls" }] }])
    const calls = events.flatMap((event) => (event.type === "tool_call" ? [event.call] : []))
    expect(calls.map(({ args }) => args)).toEqual([{ a: 1 }, { a: 1 }])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    const deltas = events.flatMap((event) => (event.type === "tool_call_delta" ? [event] : []))
    const shown = [0, 1].map((index) => deltas.filter((delta) => delta.index === index))
    expect(shown.map((own) => own.map(({ argumentsDelta }) => argumentsDelta).join(""))).toEqual(['{"a":1}', '{"a":1}'])
  })

  it("keeps calls apart whose deltas interleave", async () => {
    const part = (index: number, text: string) => ({ index, function: { name: `t${index}`, arguments: text } })
    const events = await eventsOf([
      { choices: [{ delta: { tool_calls: [part(0, "[1,"), part(1, "[2,")] } }] },
      { choices: [{ delta: { tool_calls: [part(1, "2]"), part(0, "1]")] } }] },
      { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
    ])
    expect(events.flatMap((event) => (event.type === "tool_call" ? [event.call.args] : []))).toEqual([
      [1, 1],
      [2, 2],
    ])
  })

  it("shows each part of a call as it comes, under its call and name", async () => {
    const part = (index: number, args: string, name?: string) => ({ index, function: { name, arguments: args } })
    const events = await eventsOf([
      { choices: [{ delta: { tool_calls: [part(0, "", "one"), part(1, "[2,", "two")] } }] },
      { choices: [{ delta: { tool_calls: [part(1, "2]"), part(0, "1")] } }] },
      { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
    ])
    expect(events.filter(({ type }) => type === "tool_call_delta")).toEqual([
      { type: "tool_call_delta", index: 1, name: "two", argumentsDelta: "[2," },
      { type: "tool_call_delta", index: 1, name: "two", argumentsDelta: "2]" },
      { type: "tool_call_delta", index: 0, name: "one", argumentsDelta: "1" },
    ])
  })

  it.each(["reasoning", "reasoning_content"])("counts the thoughts in %s, once", async (field) => {
    const events = await eventsOf([
      { choices: [{ delta: { [field]: "Hm, " } }] },
      { choices: [{ delta: { reasoning: "well", reasoning_content: "well" } }] },
      { choices: [{ delta: { content: "42", [field]: null }, finish_reason: "stop" }] },
    ])
    expect(events.slice(0, -1)).toEqual([
      { type: "reasoning_delta", chars: 4 },
      { type: "reasoning_delta", chars: 4 },
      { type: "text", text: "42" },
    ])
  })

  it("takes parts, objects and gaps for what they are, as some servers send them", async () => {
    const events = await eventsOf([
      { choices: [{ delta: { content: [{ type: "text", text: "Hel" }, { text: "lo" }, null, 7] } }] },
      { choices: [{ delta: { content: { text: "?" }, tool_calls: [{ index: null, id: null, function: null }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { name: "one", arguments: { a: 1 } } }] } }] },
      { choices: [{ delta: null }] },
      { choices: [{ finish_reason: "stop" }] },
      {
        choices: [],
        usage: { prompt_tokens: 3, completion_tokens: "12", prompt_tokens_details: { cached_tokens: 5 } },
      },
    ])
    expect(events).toEqual([
      { type: "text", text: "Hello" },
      { type: "tool_call_delta", index: 0, name: "one", argumentsDelta: '{"a":1}' },
      { type: "tool_call", call: { id: "call_0", name: "one", args: { a: 1 }, rawArguments: '{"a":1}' } },
      { type: "usage", usage: { input: 0, cacheRead: 5, cacheWrite: null, output: null } },
      { type: "end", stopReason: "tool_calls" },
    ])
  })

  it.each([
    ["OpenAI's", { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 60 } }, [40, 60, null]],
    [
      "LiteLLM's for Anthropic and Bedrock",
      {
        ...{ prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 60, cache_creation_tokens: 30 } },
        ...{ cache_read_input_tokens: 60, cache_creation_input_tokens: 30 },
      },
      [10, 60, 30],
    ],
    [
      "an older LiteLLM's",
      { prompt_tokens: 10, cache_read_input_tokens: 60, cache_creation_input_tokens: 30 },
      [10, 60, 30],
    ],
    ["Bedrock's, passed on", { prompt_tokens: 10, cacheReadInputTokens: 60, cacheWriteInputTokens: 0 }, [10, 60, 0]],
  ])(
    "counts what was read from a cache and written to it, in %s fields",
    async (_, usage, [input, cacheRead, cacheWrite]) => {
      const ended = { choices: [{ delta: { content: "Hi" }, finish_reason: "stop" }] }
      const events = await eventsOf([ended, { choices: [], usage: { ...usage, completion_tokens: 5 } }])
      expect(events).toContainEqual({ type: "usage", usage: { input, cacheRead, cacheWrite, output: 5 } })
    },
  )

  it("keeps the thoughts before a call, and those alone", async () => {
    const thought = (reasoning_content: string) => ({ choices: [{ delta: { reasoning_content } }] })
    const called = { choices: [{ delta: { tool_calls: [whole("x")] }, finish_reason: "tool_calls" }] }
    const said = { choices: [{ delta: { content: "Done." }, finish_reason: "stop" }] }
    const before = await eventsOf([thought("Let me "), thought("look."), called])
    expect(before.at(-1)).toEqual({
      ...{ type: "end", stopReason: "tool_calls" },
      raw: { reasoning_content: "Let me look." },
    })
    expect((await eventsOf([thought("Hm."), said])).at(-1)).toEqual({ type: "end", stopReason: "end" })
  })

  it.each(["error", "abort", "insufficient_system_resource"])(
    "takes no answer for whole that ends by %s",
    async (end) => {
      const chunk = { choices: [{ delta: { content: "Hel" }, finish_reason: end }] }
      await expect(eventsOf([chunk])).rejects.toMatchObject({ errorType: "connection_error", retryable: true })
    },
  )

  it("takes a chunk that is an error for one", async () => {
    const chunk = { object: "error", message: "It went away.", code: 500 }
    await expect(eventsOf([chunk, { choices: [{ finish_reason: "stop" }] }])).rejects.toMatchObject({ error: chunk })
  })

  it("takes an answer for whole that breaks off after its end", async () => {
    async function* breaking(end: string | null) {
      yield { choices: [{ delta: { content: "Hello" }, finish_reason: end }] }
      throw new Error("reset")
    }
    const events = await Array.fromAsync(chatEvents("local", breaking("stop")))
    expect(events.at(-1)).toEqual({ type: "end", stopReason: "end" })
    await expect(Array.fromAsync(chatEvents("local", breaking(null)))).rejects.toThrow("reset")
  })

  it("shows the words of a refusal", async () => {
    const events = await eventsOf([{ choices: [{ delta: { refusal: "No." }, finish_reason: "stop" }] }])
    expect(events).toEqual([
      { type: "text", text: "No." },
      { type: "end", stopReason: "refusal", reason: "No." },
    ])
    const filtered = await eventsOf([{ choices: [{ delta: { content: "Fir" }, finish_reason: "content_filter" }] }])
    expect(filtered.at(-1)).toEqual({ type: "end", stopReason: "refusal" })
  })

  it("passes over chunks of nothing and choices that nobody asked for, and takes zeros for no count", async () => {
    const other = { index: 1, delta: { content: "Other." } }
    const end = { index: 0, delta: { content: "Mine." }, finish_reason: "stop" }
    const usage = { prompt_tokens: 0, completion_tokens: 0 }
    expect(await eventsOf([null, { choices: [other, end] }, { choices: [], usage }])).toEqual([
      { type: "text", text: "Mine." },
      { type: "end", stopReason: "end" },
    ])
  })
})

async function eventsOf(chunks: (ChatChunk | null)[]): Promise<ModelEvent[]> {
  return Array.fromAsync(chatEvents("local", chunks))
}
