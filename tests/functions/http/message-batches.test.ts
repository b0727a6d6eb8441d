import { messageBatches } from "@switchyard/functions/http/message-batches"
import { describe, expect, it } from "vitest"

const numbered = (from: number, count: number, text = "") =>
  Array.from({ length: count }, (_, index) => ({ type: "frame", n: from + index, text }))

/** Creates a source that yields the frames given to it. `seen` records the frames read and if the reader left. */
function source() {
  const given: object[] = []
  let wake = Promise.withResolvers<void>()
  let failure: Error | undefined
  const seen = { read: 0, left: false }
  async function* frames({ signal }: { signal: AbortSignal }) {
    signal.addEventListener("abort", () => wake.resolve(), { once: true })
    try {
      while (!signal.aborted) {
        const next = given.shift()
        if (next) {
          seen.read += 1
          yield next
        } else if (failure) throw failure
        else {
          await wake.promise
          wake = Promise.withResolvers()
        }
      }
    } finally {
      seen.left = true
    }
  }
  return {
    frames,
    seen,
    give: (messages: object[]) => {
      given.push(...messages)
      wake.resolve()
    },
    fail: (error: Error) => {
      failure = error
      wake.resolve()
    },
  }
}

const read = (text: string | undefined) => JSON.parse(text ?? "null")
/** Resolves after all work that isn't waiting has run. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe("the messages of a socket, in batches", () => {
  it("are sent each by itself, at once, while they come one by one", async () => {
    const { frames, give } = source()
    const texts = messageBatches(frames, new AbortController())
    for (const message of numbered(1, 3)) {
      const next = texts.next()
      give([message])
      expect(read((await next).value ?? undefined)).toEqual(message)
    }
    await texts.return(undefined)
  })

  it("are one while the text before them is sent, in their order", async () => {
    const { frames, give } = source()
    const texts = messageBatches(frames, new AbortController())
    give(numbered(1, 1))
    expect(read((await texts.next()).value ?? undefined)).toEqual({ type: "frame", n: 1, text: "" })
    give(numbered(2, 40))
    await settled()
    expect(read((await texts.next()).value ?? undefined)).toEqual({ type: "batch", messages: numbered(2, 40) })
    await texts.return(undefined)
  })

  it("are no longer than 32 KB together, whatever they are written in, and one that is longer is by itself", async () => {
    const { frames, give, seen } = source()
    const texts = messageBatches(frames, new AbortController())
    const messages = [...numbered(1, 30, "漢".repeat(1500)), ...numbered(31, 1, "x".repeat(50_000)), ...numbered(32, 9)]
    give(messages)
    const came: unknown[] = []
    while (came.length < messages.length) {
      await settled()
      // The source is read at most one batch ahead, even if sending is slow.
      expect(seen.read - came.length).toBeLessThanOrEqual(10)
      const { value = "" } = (await texts.next()) as { value?: string }
      const message = read(value)
      if (message.type === "batch") expect(Buffer.byteLength(value)).toBeLessThanOrEqual(32 * 1024)
      came.push(...(message.messages ?? [message]))
    }
    expect(came).toEqual(messages)
    await texts.return(undefined)
  })

  it("come before the error that ends their source", async () => {
    const { frames, give, fail } = source()
    const texts = messageBatches(frames, new AbortController())
    give(numbered(1, 2))
    fail(new Error("The session was deleted."))
    await settled()
    const came: unknown[] = []
    const reading = (async () => {
      for await (const text of texts) came.push(...(read(text).messages ?? [read(text)]))
    })()
    await expect(reading).rejects.toThrow("deleted")
    expect(came).toEqual(numbered(1, 2))
  })

  it.each(["whoever sends them has left", "they are to stop"])("leave their source when %s", async (why) => {
    const { frames, give, seen } = source()
    const stop = new AbortController()
    const texts = messageBatches(frames, stop)
    give(numbered(1, 30, "x".repeat(2000)))
    await texts.next()
    if (why === "they are to stop") {
      stop.abort()
      expect(await texts.next()).toMatchObject({ done: true })
    } else await texts.return(undefined)
    expect(seen.left).toBe(true)
  })
})
