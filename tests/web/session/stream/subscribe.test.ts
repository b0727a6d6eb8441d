import fc from "fast-check"
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { type StreamUpdate, subscribe } from "../../../../packages/web/src/session/stream/subscribe.ts"
import { WAIT_MS } from "../../../settings.ts"
import { type Manners, startRudeServer } from "./rude-server.ts"
import { recordStory } from "./story.ts"

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

describe("a stream that is followed", () => {
  it("tells every event once and in order, however its connections end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rude, { maxLength: 12 }), fc.nat(20), async (manners, since) => {
        await using server = await startRudeServer(sent, (connection) => manners[connection] ?? { ends: "stall" })
        const { heard } = await follow(server.url, since)
        expect(heard).toEqual(sent.slice(since).map(({ seq }) => seq))
      }),
      { numRuns: 25 },
    )
  })

  it("waits longer after each failure, from half a second up to half a minute, and says so", async () => {
    for (const [random, most] of [
      [1, [1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]],
      [0, [500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]],
    ] as const) {
      await using server = await startRudeServer(sent, (connection) =>
        connection < most.length ? { answer: 502 } : { ends: "stall" },
      )
      const { waits, lost } = await follow(server.url, 0, random)
      expect(waits).toEqual(most)
      expect(lost).toEqual(most)
    }
  })

  it("is quick again after a connection that told something", async () => {
    const manners: Manners[] = [{ answer: 502 }, { answer: 502 }, { cutAfter: 2000, ends: "cut" }, { answer: 502 }]
    await using server = await startRudeServer(sent, (connection) => manners[connection] ?? { ends: "stall" })
    expect((await follow(server.url)).waits).toEqual([1000, 2000, 1000, 2000])
  })

  it("comes again at once, and tells nobody, where the server ends the stream in good order", async () => {
    await using server = await startRudeServer(sent, (connection) =>
      connection < 3 ? { cutAfter: 2000, ends: "end" } : { ends: "stall" },
    )
    const { waits, lost } = await follow(server.url, 0, 1)
    expect(waits).toEqual([300, 300, 300])
    expect(lost).toEqual([])
  })

  it("takes a stream that says nothing at all for a failure, so that it isn't asked for many times a second", async () => {
    await using server = await startRudeServer(sent, (connection) =>
      connection < 3 ? { cutAfter: 0, ends: "end" } : { ends: "stall" },
    )
    expect((await follow(server.url)).waits).toEqual([1000, 2000, 4000])
  })

  it("leaves a connection that fell silent", async () => {
    const quiet = Promise.withResolvers<void>()
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    await using server = await startRudeServer(sent, (connection) =>
      connection === 0 ? { cutAfter: 4000, ends: "stall" } : { ends: "stall" },
    )
    const following = follow(server.url, 0, 1, (news) => {
      if (news.type === "received") quiet.resolve()
    })
    await quiet.promise
    await vi.waitFor(() => expect(server.since.length).toBe(1), { interval: 5, timeout: WAIT_MS })
    vi.advanceTimersByTime(44_000)
    expect(server.since.length).toBe(1)
    vi.advanceTimersByTime(2_000)
    const { heard, lost } = await following
    expect(heard).toEqual(sent.map(({ seq }) => seq))
    expect(lost).toEqual([1000])
  })

  it.each([
    [404, { type: "gone", status: 404 }],
    [401, { type: "gone", status: 401 }],
    [410, { type: "replaced" }],
  ])("ends for good at %i", async (answer, news) => {
    await using server = await startRudeServer(sent, () => ({ answer }))
    expect((await follow(server.url)).all).toEqual([news])
    expect(server.since).toEqual([0])
  })

  it("ends when its reader leaves, also while it waits", async () => {
    await using server = await startRudeServer(sent, () => ({ answer: 502 }))
    const leave = new AbortController()
    const deps = { fetch, random: () => 0, pause: async () => leave.abort() }
    const all: StreamUpdate[] = []
    for await (const news of subscribe(deps, (seq) => `${server.url}?since_seq=${seq}`, 0, leave)) all.push(news)
    expect(all.map(({ type }) => type)).toEqual(["lost"])
  })
})

/** Follows until the last event was heard, or the stream is over. No pause takes time. */
async function follow(url: string, since = 0, random = 1, hear: (news: StreamUpdate) => void = () => undefined) {
  const enough = new AbortController()
  const waits: number[] = []
  const deps = { fetch, random: () => random, pause: async (ms: number) => void waits.push(ms) }
  const all: StreamUpdate[] = []
  const urlFrom = (seq: number) => `${url}?since_seq=${seq}`
  for await (const news of subscribe(deps, urlFrom, since, { signal: enough.signal })) {
    all.push(news)
    hear(news)
    if (news.type === "received" && news.event.seq === last) enough.abort()
  }
  return {
    all,
    waits,
    heard: all.flatMap((news) => (news.type === "received" ? [news.event.seq] : [])),
    lost: all.flatMap((news) => (news.type === "lost" ? [news.retryMs] : [])),
  }
}
