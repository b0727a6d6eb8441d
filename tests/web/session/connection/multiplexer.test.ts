import fc from "fast-check"
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { createMultiplexer, type Multiplexer } from "../../../../packages/web/src/session/connection/multiplexer.ts"
import { createQueue } from "../../../../packages/web/src/session/connection/queue.ts"
import { advance, type Source, type SourceUpdate } from "../../../../packages/web/src/session/connection/source.ts"
import { cases, WAIT_MS } from "../../../settings.ts"
import { recordStory } from "../stream/story.ts"
import { type Manners, type SocketManners, startRudeServer } from "./rude-server.ts"

let sent: { seq: number }[]
let last: number
beforeAll(async () => {
  sent = (await recordStory()).sent as { seq: number }[]
  last = sent.length
})
afterEach(() => vi.useRealTimers())

const rude: fc.Arbitrary<Manners> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom({ answer: 500 }, { answer: 503 }) },
  {
    weight: 4,
    arbitrary: fc.record({
      doubled: fc.nat(5),
      cutAfter: fc.nat(9000),
      pieceBytes: fc.integer({ min: 11, max: 2000 }),
      comments: fc.boolean(),
      ends: fc.constantFrom("end" as const, "cut" as const),
    }),
  },
)

const rudeSocket: fc.Arbitrary<SocketManners> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom({ answer: 403 }, { answer: 502 }) },
  {
    weight: 4,
    arbitrary: fc.record({
      doubled: fc.nat(5),
      frames: fc.nat(60),
      batched: fc.nat(7),
      inParts: fc.boolean(),
      ends: fc.constantFrom("end" as const, "cut" as const),
    }),
  },
)

describe("sources that are followed by a socket", () => {
  it("tell every event once and in order, however sockets and streams end, one after the other", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(rudeSocket, { maxLength: 8 }),
        fc.array(rude, { maxLength: 4 }),
        fc.nat(20),
        async (sockets, streams, since) => {
          await using server = await startRudeServer(
            sent,
            (connection) => streams[connection] ?? { ends: "stall" },
            (connection) => sockets[connection] ?? { ends: "stall" },
          )
          const { heard } = await follow(server.url, { since, withSocket: true })
          expect(heard).toEqual(sent.slice(since).map(({ seq }) => seq))
        },
      ),
      { numRuns: cases({ usual: 25, deep: 200 }) },
    )
  })

  it("need no stream while there is a socket, and tell nobody where the server ends one in good order", async () => {
    await using server = await startRudeServer(
      sent,
      () => ({ answer: 500 }),
      (connection) => (connection < 2 ? { frames: 5, ends: "end" } : { ends: "stall" }),
    )
    const { waits, lost } = await follow(server.url, { withSocket: true })
    expect(server.socketSince).toEqual([0, 5, 10])
    expect(server.since).toEqual([])
    expect([waits, lost]).toEqual([[300, 300], []])
  })

  it.each<[string, SocketManners]>([
    ["refused", { answer: 403 }],
    ["closed without a word", { frames: 0, ends: "stall" }],
  ])("are streamed at once, and nobody is told, where a socket is %s", async (how, socket) => {
    const manners = how === "refused" ? socket : { mute: true as const }
    if (how !== "refused") vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    await using server = await startRudeServer(
      sent,
      () => ({ ends: "stall" }),
      () => manners,
    )
    const following = follow(server.url, { withSocket: true })
    if (how !== "refused") {
      await vi.waitFor(() => expect(server.socketSince).toEqual([0]), { interval: 5, timeout: WAIT_MS })
      vi.advanceTimersByTime(5_000)
    }
    const { waits, lost } = await following
    expect([server.socketSince, server.since]).toEqual([[0], [0]])
    expect([waits, lost]).toEqual([[], []])
  })

  it("are streamed for a while after a socket that was cut soon, longer each time, and then by a socket again", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    await using server = await startRudeServer(
      sent,
      () => ({ cutAfter: 2000, ends: "stall" }),
      (connection) => (connection < 2 ? { frames: 3, ends: "cut" } : { ends: "stall" }),
    )
    const following = follow(server.url, { withSocket: true })
    for (const [index, ms] of [60_000, 120_000].entries()) {
      await vi.waitFor(() => expect(server.since).toHaveLength(index + 1), { interval: 5, timeout: WAIT_MS })
      vi.advanceTimersByTime(ms - 1)
      await new Promise(setImmediate)
      expect(server.socketSince).toHaveLength(index + 1)
      vi.advanceTimersByTime(1)
      await vi.waitFor(() => expect(server.socketSince).toHaveLength(index + 2), { interval: 5, timeout: WAIT_MS })
    }
    const { lost } = await following
    expect(lost).toEqual([])
  })

  it("take messages over the socket, which are answered, or may have got lost", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    await using server = await startRudeServer(
      sent,
      () => ({ ends: "stall" }),
      () => ({ frames: 1, ends: "stall" }),
    )
    const { promise: opened, resolve } = Promise.withResolvers<void>()
    const streams = createMultiplexer(depsOf(server.url, { pause: async () => undefined, withSocket: true }))
    const message = { type: "input", session: "s", pty: "p", client: "c", client_seq: 1, data: "eA==" } as const
    expect(await streams.send(message)).toBe(false)
    streams.follow("reader", { session: "s", since: 0 }, ({ type }) => type === "frame" && resolve())
    await opened
    expect(await streams.send(message)).toBe(true)
    expect(server.received).toEqual([{ ...message, request: 0 }])
    server.replies(({ request }) => ({ type: "refused", request, error: {} }))
    expect(await streams.send(message)).toBe(false)
    // The message is larger than API Gateway accepts.
    expect(await streams.send({ ...message, data: "eA==".repeat(10_000) })).toBe(false)
    expect(server.received).toHaveLength(2)
    server.replies((_, socket) => void socket.terminate())
    expect(await streams.send(message)).toBe(false)
    await vi.waitFor(() => expect(server.since.length + server.socketSince.length).toBe(2), {
      interval: 5,
      timeout: WAIT_MS,
    })
    streams.close()
  })
})

describe("a stream that is followed", () => {
  it("tells every event once and in order, however its connections end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rude, { maxLength: 12 }), fc.nat(20), async (manners, since) => {
        await using server = await startRudeServer(sent, (connection) => manners[connection] ?? { ends: "stall" })
        const { heard } = await follow(server.url, { since })
        expect(heard).toEqual(sent.slice(since).map(({ seq }) => seq))
      }),
      { numRuns: 25 },
    )
  })

  it("waits longer after each failure, but never long while somebody watches, and says so", async () => {
    for (const [random, isWatched, most] of [
      [1, true, [250, 500, 1000, 1500, 1500, 1500, 1500, 1500]],
      [0, true, [125, 250, 500, 750, 750, 750, 750, 750]],
      [1, false, [250, 500, 1000, 2000, 4000, 8000, 16000, 30000]],
    ] as const) {
      await using server = await startRudeServer(sent, (connection) =>
        connection < most.length ? { answer: 502 } : { ends: "stall" },
      )
      const { waits, lost } = await follow(server.url, { random, isWatched })
      expect(waits).toEqual(most)
      expect(lost).toEqual(most)
    }
  })

  it("is quick again after a connection that told something", async () => {
    const manners: Manners[] = [{ answer: 502 }, { answer: 502 }, { cutAfter: 2000, ends: "cut" }, { answer: 502 }]
    await using server = await startRudeServer(sent, (connection) => manners[connection] ?? { ends: "stall" })
    expect((await follow(server.url)).waits).toEqual([250, 500, 250, 500])
  })

  it("comes again at once, and tells nobody, where the server ends the stream in good order", async () => {
    await using server = await startRudeServer(sent, (connection) =>
      connection < 3 ? { cutAfter: 2000, ends: "end" } : { ends: "stall" },
    )
    const { waits, lost } = await follow(server.url)
    expect(waits).toEqual([300, 300, 300])
    expect(lost).toEqual([])
  })

  it("takes a stream that says nothing at all for a failure, so that it isn't asked for many times a second", async () => {
    await using server = await startRudeServer(sent, (connection) =>
      connection < 3 ? { cutAfter: 0, ends: "end" } : { ends: "stall" },
    )
    expect((await follow(server.url)).waits).toEqual([250, 500, 1000])
  })

  it("leaves a connection that fell silent", async () => {
    const quiet = Promise.withResolvers<void>()
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    await using server = await startRudeServer(sent, (connection) =>
      connection === 0 ? { cutAfter: 4000, ends: "stall" } : { ends: "stall" },
    )
    const following = follow(server.url, {
      hear: (update) => {
        if (update.type === "frame") quiet.resolve()
      },
    })
    await quiet.promise
    await vi.waitFor(() => expect(server.since.length).toBe(1), { interval: 5, timeout: WAIT_MS })
    vi.advanceTimersByTime(44_000)
    expect(server.since.length).toBe(1)
    vi.advanceTimersByTime(2_000)
    const { heard, lost } = await following
    expect(heard).toEqual(sent.map(({ seq }) => seq))
    expect(lost).toEqual([250])
  })

  it.each([true, false])(
    "leaves a connection that said nothing while the computer slept, socket %s",
    async (withSocket) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      let now = 0
      await using server = await startRudeServer(
        sent,
        (connection) => (connection === 0 ? { cutAfter: 4000, ends: "stall" } : { ends: "stall" }),
        (connection) => (connection === 0 ? { frames: 5, ends: "stall" } : { ends: "stall" }),
      )
      const connections = withSocket ? server.socketSince : server.since
      let heardBefore = 0
      const first = Promise.withResolvers<void>()
      const following = follow(server.url, {
        withSocket,
        now: () => now,
        hear: (update) => {
          if (update.type === "frame" && ++heardBefore === 3) first.resolve()
        },
        streams: async (streams) => {
          await first.promise
          now += 44_000
          streams.nudge()
          await new Promise(setImmediate)
          expect(connections).toHaveLength(1)
          // The computer slept, so no timer of the page has fired.
          now += 3_600_000
          streams.nudge()
        },
      })
      const { heard, lost } = await following
      expect(heard).toEqual(sent.map(({ seq }) => seq))
      expect([connections.length, lost]).toEqual([2, []])
    },
  )

  it("ends for good without a login", async () => {
    await using server = await startRudeServer(sent, () => ({ answer: 401 }))
    expect((await follow(server.url)).all).toEqual([{ type: "refused", status: 401 }])
    expect(server.since).toEqual([0])
  })

  it("ends for good for a source that isn't there, and tries again one that the server has trouble with", async () => {
    const manners: Manners[] = [{ error: "internal_error" }, { error: "session_not_found" }]
    await using server = await startRudeServer(sent, (connection) => manners[connection] ?? { ends: "stall" })
    const { all, lost } = await follow(server.url)
    expect(lost).toEqual([5000])
    expect(all.at(-1)).toEqual({ type: "refused", status: 404 })
  })

  it("is made no more once its reader has left, also while it waits", async () => {
    await using server = await startRudeServer(sent, () => ({ answer: 502 }))
    const left = Promise.withResolvers<void>()
    const pause = async (ms: number) => {
      if (ms === SETTLE_MS) return
      streams.unfollow("reader")
      left.resolve()
    }
    const streams = createMultiplexer(depsOf(server.url, { pause }))
    streams.follow("reader", { session: "s", since: 0 }, () => undefined)
    await left.promise
    await new Promise((resolve) => setImmediate(resolve))
    expect(server.since).toEqual([0])
  })
})

const SETTLE_MS = 20

function depsOf(
  url: string,
  {
    pause,
    random = 1,
    now = () => 0,
    isWatched = true,
    withSocket = false,
  }: Options & { pause(ms: number): Promise<void> },
) {
  return {
    fetch,
    pause,
    random: () => random,
    now,
    isWatched: () => isWatched,
    ready: async () => undefined,
    urlOf: (sources: string) => `${url}?sources=${sources}`,
    socket: withSocket
      ? {
          open: (address: string) => new WebSocket(address),
          urlOf: async (sources: string) => `${url.replace("http", "ws")}?sources=${sources}`,
        }
      : undefined,
  }
}

interface Options {
  since?: number
  random?: number
  isWatched?: boolean
  withSocket?: boolean
  now?(): number
  /** Acts on the streams while they are followed. */
  streams?(streams: Multiplexer): Promise<void>
  hear?(update: SourceUpdate): void
}

/** Follows a source until its last event arrives or the source is refused. Pauses take no time. */
async function follow(url: string, options: Options = {}) {
  const { since = 0, hear = () => undefined } = options
  const enough = new AbortController()
  const waits: number[] = []
  const pause = async (ms: number) => void (ms === SETTLE_MS || waits.push(ms))
  const streams = createMultiplexer(depsOf(url, { ...options, pause }))
  const queue = createQueue<SourceUpdate>()
  const all: SourceUpdate[] = []
  const heard: number[] = []
  let source: Source = { session: "s", since }
  streams.follow("reader", source, queue.put)
  void options.streams?.(streams)
  for await (const update of queue.read(enough)) {
    all.push(update)
    hear(update)
    if (update.type === "refused") break
    if (update.type !== "frame") continue
    const next = advance(source, update.frame)
    if (!next || !("since" in next)) continue
    source = next
    heard.push(next.since)
    if (next.since === last) enough.abort()
  }
  streams.close()
  return { all, waits, heard, lost: all.flatMap((update) => (update.type === "lost" ? [update.retryMs] : [])) }
}
