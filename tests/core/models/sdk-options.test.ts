import { createAnthropicProvider } from "@switchyard/core/models/anthropic"
import type { ModelEvent } from "@switchyard/core/models/provider"
import { afterEach, describe, expect, it, vi } from "vitest"
import { streamFrames } from "../../fixtures/model-server/server.ts"

const request = { model: "claude-sonnet-5", system: "", messages: [{ role: "user" as const, content: "Hi" }] }
const frames = streamFrames("anthropic", { text: ["one", "two"] }, request)
const idleTimeoutMs = 1000
const firstByteTimeoutMs = 5000

describe("the watchdog", () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Creates a provider whose response bytes the test sends. */
  function opened() {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const body = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, { highWaterMark: 100 })
    const writer = body.writable.getWriter()
    const send = (text: string) => writer.write(new TextEncoder().encode(text))
    const provider = createAnthropicProvider({
      baseUrl: "https://api.anthropic.com",
      apiKey: "k",
      idleTimeoutMs,
      firstByteTimeoutMs,
      async fetch(_input, init) {
        const abortable = body.readable.pipeThrough(new TransformStream(), { signal: init?.signal ?? undefined })
        return new Response(abortable, { headers: { "content-type": "text/event-stream" } })
      },
    })
    const stream = provider.stream(request, { signal: new AbortController().signal })[Symbol.asyncIterator]()
    return { send, end: () => writer.close(), stream }
  }

  it("lets a provider live that sends nothing but pings", async () => {
    const { send, end, stream } = opened()
    const first = stream.next()
    for (let pings = 0; pings < 5; pings++) {
      await send("event: ping\ndata: {}\n\n")
      await vi.advanceTimersByTimeAsync(idleTimeoutMs * 0.9)
    }
    await send(frames.join(""))
    await end()
    expect(await first).toEqual({ done: false, value: { type: "text", text: "one" } })
    expect(await stream.next()).toEqual({ done: false, value: { type: "text", text: "two" } })
  })

  /** Advances the time until the promise rejects, and resolves to the error. */
  async function failure(waiting: Promise<unknown>): Promise<unknown> {
    let failed: unknown
    waiting.catch((error) => {
      failed = error
    })
    while (failed === undefined) await vi.advanceTimersByTimeAsync(100)
    return failed
  }

  it("waits longer for the first byte than for the others", async () => {
    const { send, stream } = opened()
    const first = stream.next()
    const second = frames.findIndex((frame) => frame.includes("two"))
    await vi.advanceTimersByTimeAsync(firstByteTimeoutMs * 0.9)
    await send(frames.slice(0, second).join(""))
    expect(await first).toMatchObject({ value: { text: "one" } })
    const silence = { errorType: "connection_error", message: "anthropic sent nothing for 1 s." }
    expect(await failure(stream.next())).toMatchObject(silence)
  })

  it("doesn't wait for ever for the first byte, even where headers came at once", async () => {
    const { stream } = opened()
    expect(await failure(stream.next())).toMatchObject({ message: "anthropic sent nothing for 5 s." })
  })

  it("does not blame the provider for a slow reader", async () => {
    const { send, end, stream } = opened()
    const second = frames.findIndex((frame) => frame.includes("two"))
    await send(frames.slice(0, second).join(""))
    const first = await stream.next()
    await vi.advanceTimersByTimeAsync(idleTimeoutMs * 3)
    await send(frames.slice(second).join(""))
    await end()
    const events: ModelEvent[] = [first.value]
    for (let next = await stream.next(); !next.done; next = await stream.next()) events.push(next.value)
    expect(events.at(-1)?.type).toBe("end")
  })
})
