import { ModelError } from "@switchyard/core/models/errors"
import { complete, type ModelEvent, type ModelRequest, type ToolCallDelta } from "@switchyard/core/models/provider"
import { createScriptedProvider, streamedToolAnswer, textAnswer, toolAnswer } from "@switchyard/core/models/scripted"
import { describe, expect, it } from "vitest"

const request = (content: string): ModelRequest => ({ model: "m", system: "", messages: [{ role: "user", content }] })
const open = () => ({ signal: new AbortController().signal })

describe("a scripted provider", () => {
  it("gives its answers in order and remembers what it was asked", async () => {
    const provider = createScriptedProvider([textAnswer("one"), toolAnswer("read_file", { path: "a" }, "two")])
    expect(await complete(provider, request("first"), open())).toMatchObject({ text: "one", stopReason: "end" })
    expect(await complete(provider, request("second"), open())).toMatchObject({
      text: "two",
      stopReason: "tool_calls",
      toolCalls: [{ name: "read_file", args: { path: "a" }, rawArguments: '{"path":"a"}' }],
    })
    expect(provider.requests.map(({ messages }) => messages[0]?.content)).toEqual(["first", "second"])
  })

  it("answers by a function of the request and the number of the call", async () => {
    const provider = createScriptedProvider(({ messages }, index) => textAnswer(`${index}:${messages[0]?.content}`))
    await complete(provider, request("a"), open())
    expect((await complete(provider, request("b"), open())).text).toBe("1:b")
  })

  it("throws the errors of its script, and one of its own when it has no more answers", async () => {
    const provider = createScriptedProvider([new ModelError("rate_limit", "Slow down.")])
    await expect(complete(provider, request(""), open())).rejects.toMatchObject({ errorType: "rate_limit" })
    await expect(complete(provider, request(""), open())).rejects.toThrow("no answer for call 2")
  })

  it("streams the arguments of a call in parts", async () => {
    const args = { path: "a", content: "0123456789" }
    const provider = createScriptedProvider([streamedToolAnswer("write_file", args, 8)])
    const deltas: string[] = []
    const options = { ...open(), onToolCallDelta: (delta: ToolCallDelta) => deltas.push(delta.argumentsDelta) }
    expect((await complete(provider, request(""), options)).toolCalls[0]?.args).toEqual(args)
    expect(deltas.length).toBeGreaterThan(3)
    expect(deltas.join("")).toBe(JSON.stringify(args))
  })

  it("holds the stream at a promise until the test lets it go", async () => {
    const gate = Promise.withResolvers<void>()
    const [text, ...rest] = textAnswer("hello") as [ModelEvent, ...ModelEvent[]]
    const stream = createScriptedProvider([[text, gate.promise, ...rest]]).stream(request(""), open())
    const events = stream[Symbol.asyncIterator]()
    expect((await events.next()).value).toEqual(text)
    let released = false
    const next = events.next().then(({ value }) => ({ value, released }))
    released = true
    gate.resolve()
    expect(await next).toEqual({ value: rest[0], released: true })
  })

  it("stops at an abort, even while it is held", async () => {
    const abort = new AbortController()
    const provider = createScriptedProvider([[new Promise<never>(() => {}), ...textAnswer("never")]])
    const asked = complete(provider, request(""), { signal: abort.signal })
    abort.abort(new Error("enough"))
    await expect(asked).rejects.toThrow("enough")
  })
})
