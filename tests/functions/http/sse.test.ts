import { systemClock } from "@switchyard/core/time"
import type { EventFrame } from "@switchyard/core/work/runs/run-events"
import { LOCAL_PRINCIPAL } from "@switchyard/functions/access"
import { sendEvents } from "@switchyard/functions/http/sse"
import { Hono } from "hono"
import { describe, expect, it } from "vitest"

/** Creates an app with one stream, and records reported errors and if the source was left. */
function streaming(frames: (signal: AbortSignal) => AsyncGenerator<EventFrame>) {
  const stop = new AbortController()
  const reported: unknown[] = []
  const seen = { asked: 0, left: false }
  const access = { isAuthorized: async () => true }
  const report = (error: unknown) => reported.push(error)
  const app = new Hono().get("/", (c) => {
    c.set("principal", LOCAL_PRINCIPAL)
    return sendEvents(c, { signal: stop.signal, access, clock: systemClock, report }, async function* (signal) {
      try {
        for await (const frame of frames(signal)) {
          seen.asked++
          yield frame
        }
      } finally {
        seen.left = true
      }
    })
  })
  return { app, stop, reported, seen }
}

/** Waits like a tail until the signal aborts, then throws or ends. */
async function* quietUntil(signal: AbortSignal, { fails }: { fails: boolean }): AsyncGenerator<EventFrame> {
  yield { id: "1", event: "first", data: {} }
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve))
  if (fails) throw signal.reason
}

describe("an event stream", () => {
  it("sends each frame on lines of its own, and comments that only keep it open", async () => {
    const { app } = streaming(async function* () {
      yield { id: "1.1", event: "said", data: { text: "two\nlines \u2028 and\r one" } }
      yield "quiet"
      yield { event: "end", data: null }
    })
    const response = await app.request("/")
    expect(response.headers.get("content-type")).toBe("text/event-stream")
    expect(response.headers.get("cache-control")).toBe("no-cache, no-transform")
    expect(await response.text()).toBe(
      'retry: 1000\nevent: said\ndata: {"text":"two\\nlines \u2028 and\\r one"}\nid: 1.1\n\n: keep-alive\nevent: end\ndata: null\n\n',
    )
  })

  it("says by no comment, but once more by `retry`, that it is open before its first event", async () => {
    const { app } = streaming(async function* () {
      yield "quiet"
      yield { event: "first", data: 1 }
    })
    expect(await (await app.request("/")).text()).toBe("retry: 1000\nretry: 1000\nevent: first\ndata: 1\n\n")
  })

  it.each([false, true])(
    "leaves its source when the reader leaves, who hears nothing more (failing: %s)",
    async (fails) => {
      const { app, seen, reported } = streaming((signal) => quietUntil(signal, { fails }))
      const reader = (await app.request("/")).body?.getReader()
      await reader?.read()
      await reader?.read()
      const waiting = reader?.read()
      await reader?.cancel()
      expect(await waiting).toMatchObject({ done: true })
      expect([seen, reported]).toEqual([{ asked: 1, left: true }, []])
    },
  )

  it.each([false, true])("ends when the server stops (failing: %s)", async (fails) => {
    const { app, stop, seen, reported } = streaming((signal) => quietUntil(signal, { fails }))
    const response = await app.request("/")
    const text = response.text()
    stop.abort()
    expect(await text).toContain("retry")
    expect([seen.left, reported]).toEqual([true, []])
  })

  it("that breaks ends without a word of why, which is for us", async () => {
    const { app, reported } = streaming(async function* () {
      yield { id: "1", event: "first", data: {} }
      throw new Error("secret")
    })
    const text = await (await app.request("/")).text()
    expect(text).toContain("event: first")
    expect(text).not.toMatch(/secret|error/)
    expect(reported).toMatchObject([{ message: "secret" }])
  })

  it("asks for nothing that nobody reads", async () => {
    const { app, seen } = streaming(async function* () {
      for (let i = 0; ; i++) yield { id: String(i), event: "count", data: i }
    })
    await app.request("/", { method: "HEAD" })
    const reader = (await app.request("/")).body?.getReader()
    expect(seen.asked).toBe(0)
    for (let i = 0; i < 4; i++) await reader?.read()
    expect(seen.asked).toBe(3)
    await reader?.cancel()
  })
})
