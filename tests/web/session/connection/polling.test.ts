import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { ConnectionUpdate } from "../../../../packages/web/src/session/connection/connection-update.ts"
import { withPolling } from "../../../../packages/web/src/session/connection/polling.ts"
import type { Transport } from "../../../../packages/web/src/session/connection/transport.ts"

const frame = { type: "frame", frame: { event: "event", data: {} }, size: 1 } satisfies ConnectionUpdate
const HELD = "/stream?sources=s:7&wait_ms=4000"

let now = 0
beforeEach(() => {
  now = 1000
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
})
afterEach(() => vi.useRealTimers())

/**
 * A connection's behavior: the times of its signs of life, its duration, whether it then fails, and its type of events.
 */
interface Way {
  heardAfterMs?: number[]
  endsAfterMs: number
  fails?: boolean
  brings?: string
}

/** Lists the behavior of each connection. The last entry applies to all further connections. */
function place({ live, polls = [{ endsAfterMs: 0, fails: true }] }: { live: Way[]; polls?: Way[] }) {
  const asked: string[] = []
  const pauses: number[] = []
  const counts = { live: 0, poll: 0 }
  async function* take(way: Way, { onHeard, signal }: Parameters<Transport>[1]): AsyncGenerator<ConnectionUpdate> {
    const startedAt = now
    for (const [index, afterMs] of (way.heardAfterMs ?? []).entries()) {
      now = startedAt + afterMs
      onHeard()
      if (signal.aborted) throw signal.reason
      yield index === 0 ? { type: "opened" } : { ...frame, frame: { event: way.brings ?? "event", data: {} } }
    }
    now = startedAt + way.endsAfterMs
    if (way.fails) throw new Error("The server sent no data.")
  }
  const liveTransport: Transport = (sources, options) => {
    asked.push(`live ${sources}`)
    return take(live[Math.min(counts.live++, live.length - 1)] as Way, options)
  }
  const open = withPolling(
    {
      fetch,
      random: () => 1,
      now: () => now,
      pause: async (ms) => void pauses.push(ms),
      urlOf: (sources) => `/stream?sources=${sources}`,
      openStream: (_deps, url, options) => {
        asked.push(`poll ${url}`)
        return take(polls[Math.min(counts.poll++, polls.length - 1)] as Way, options)
      },
    },
    liveTransport,
  )
  async function connect(sources = "s:7"): Promise<ConnectionUpdate[]> {
    const heard: ConnectionUpdate[] = []
    const options = { onHeard: () => undefined, signal: new AbortController().signal }
    try {
      for await (const update of open(sources, options)) heard.push(update)
    } catch {
      heard.push({ type: "refused", status: 0 })
    }
    return heard
  }
  return { connect, asked, pauses }
}

const heldBack: Way = { endsAfterMs: 10_000, fails: true }
const failed: ConnectionUpdate = { type: "refused", status: 0 }

describe("a connection", () => {
  it("is polled after two live ones that brought nothing, and says so", async () => {
    const { connect, asked } = place({ live: [heldBack], polls: [{ heardAfterMs: [10, 20], endsAfterMs: 200 }] })
    expect([await connect(), await connect()]).toEqual([[failed], [failed]])
    expect(await connect()).toEqual([{ type: "opened", isPolled: true }, frame])
    expect(asked).toEqual(["live s:7", "live s:7", "live s:7", `poll ${HELD}`])
  })

  it("is polled as well where a proxy lets only the beginning through", async () => {
    const begun: Way = { heardAfterMs: [50, 60], endsAfterMs: 45_060, fails: true }
    const { connect, asked } = place({ live: [begun], polls: [{ heardAfterMs: [10], endsAfterMs: 4000 }] })
    for (let count = 0; count < 3; count++) await connect()
    expect(asked.at(-1)).toBe(`poll ${HELD}`)
  })

  it.each([
    ["fail at once", { endsAfterMs: 20, fails: true }],
    ["are cut soon after they brought something", { heardAfterMs: [10], endsAfterMs: 9000, fails: true }],
    ["end in good order", { heardAfterMs: [10], endsAfterMs: 60_000 }],
  ] satisfies [string, Way][])("stays live where connections %s", async (_, way) => {
    const { connect, asked } = place({ live: [way] })
    for (let count = 0; count < 5; count++) await connect()
    expect(new Set(asked)).toEqual(new Set(["live s:7"]))
  })

  it("stays live where one was silent, and one between delivered", async () => {
    const sound: Way = { heardAfterMs: [10, 15_000], endsAfterMs: 16_000, fails: true }
    const { connect, asked } = place({ live: [heldBack, sound, heldBack, sound] })
    for (let count = 0; count < 4; count++) await connect()
    expect(asked).toEqual(Array(4).fill("live s:7"))
  })

  it("is live again after a first poll that brought nothing either, for then it is the network", async () => {
    const { connect, asked } = place({ live: [heldBack] })
    for (let count = 0; count < 4; count++) expect(await connect()).toEqual([failed])
    expect(asked.filter((one) => one.startsWith("poll"))).toHaveLength(1)
    expect(asked.at(-1)).toBe("live s:7")
  })

  it("is still polled after a poll that failed behind others that delivered", async () => {
    const quiet: Way = { heardAfterMs: [10], endsAfterMs: 4000 }
    const { connect, asked } = place({ live: [heldBack], polls: [quiet, { endsAfterMs: 5, fails: true }, quiet] })
    for (let count = 0; count < 5; count++) await connect()
    expect(asked.slice(-3)).toEqual(Array(3).fill(`poll ${HELD}`))
  })

  it("is polled less often while nothing comes, and at once after something did", async () => {
    const quiet: Way = { heardAfterMs: [10], endsAfterMs: 4000 }
    const { connect, pauses } = place({
      live: [heldBack],
      polls: [quiet, quiet, quiet, quiet, quiet, { heardAfterMs: [10, 20], endsAfterMs: 200 }, quiet],
    })
    for (let count = 0; count < 9; count++) await connect()
    expect(pauses).toEqual([500, 1000, 2000, 4000, 4000, 500])
  })

  it("isn't polled at once for what a terminal brings each time", async () => {
    const again: Way = { heardAfterMs: [10, 20], endsAfterMs: 200, brings: "snapshot" }
    const { connect, pauses } = place({ live: [heldBack], polls: [again] })
    for (let count = 0; count < 4; count++) await connect()
    expect(pauses).toEqual([500, 1000])
  })

  it("is live again once one beside the polls delivers, which is tried ever less often", async () => {
    const quiet: Way = { heardAfterMs: [10], endsAfterMs: 4000 }
    const sound: Way = { heardAfterMs: [10, 15_000], endsAfterMs: 60_000 }
    const { connect, asked } = place({ live: [heldBack, heldBack, heldBack, heldBack, sound], polls: [quiet] })
    const tries = () => asked.filter((one) => one.startsWith("live")).length
    for (let count = 0; count < 3; count++) await connect()
    expect(tries()).toBe(3)
    for (const [waitMs, most] of [
      [60_000, 4],
      [120_000, 5],
    ] as const) {
      now += waitMs - 20_000
      await connect()
      expect(tries()).toBe(most - 1)
      now += 20_000
      await connect("s:8,s/pty:3:tab")
      expect(tries()).toBe(most)
    }
    // A terminal's viewer uses its own connection.
    expect(asked.findLast((one) => one.startsWith("live"))).toBe("live s:8")
    const before = asked.length
    await connect("s:9")
    expect(asked.slice(before)).toEqual(["live s:9"])
  })
})
