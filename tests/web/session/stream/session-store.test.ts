import { setImmediate } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createApi } from "../../../../packages/web/src/api/client.ts"
import { createTabStreams } from "../../../../packages/web/src/session/connection/tab-streams.ts"
import { isStructural, type StudioEvent, toEvent } from "../../../../packages/web/src/session/stream/event.ts"
import type { SessionData } from "../../../../packages/web/src/session/stream/session-data.ts"
import { createSessionStore, type StoreDeps } from "../../../../packages/web/src/session/stream/session-store.ts"
import { emptyView, reduceView } from "../../../../packages/web/src/session/stream/view.ts"
import { longSession, MANY } from "../../../browser/harness/long.ts"
import { openPlace, type Place } from "../../../browser/harness/place.ts"

let place: Place
let end: AbortController
beforeEach(async () => {
  place = await openPlace()
  end = new AbortController()
})
afterEach(async () => {
  end.abort()
  await place[Symbol.asyncDispose]()
})

describe("a session's store", () => {
  it("has the log, once and in order, after its wire was cut again and again", async () => {
    const id = await place.session()
    const { store, follow } = createSessionStore(deps(), id)
    const following = follow({ signal: end.signal })
    const { run_id } = await place.run(id)
    for (let cut = 0; cut < 12; cut++) {
      await until(() => store.getState().connection.state === "live")
      place.wire.cut()
      await until(() => store.getState().connection.state === "reconnecting")
      place.wire.mend()
    }
    await place.ended(run_id)
    const { latest_seq } = await place.ask("GET", `/api/v1/sessions/${id}`)
    await until(() => store.getState().live.seq === latest_seq)
    const { segments, structural, live, shown } = store.getState()
    const numbers = Array.from({ length: latest_seq }, (_, index) => index + 1)
    expect(segments.map(({ events }) => events.map(({ seq }) => seq))).toEqual([numbers])
    expect(structural).toEqual(segments[0]?.events.filter(isStructural))
    expect(live.run?.status).toBe("completed")
    expect(shown).toBe(live)
    end.abort()
    await following
  })

  it("reads the log anew where the server has another one, even if that fails at first", async () => {
    const id = await place.session({ built: true })
    // Meanwhile, the stream can't resume from its position, and two requests then get no answer.
    const resync = 'event: resync\ndata: {"source":0,"data":{}}\n\n'
    const trouble = [
      () => new Response(resync, { headers: { "content-type": "text/event-stream" } }),
      noAnswer,
      noAnswer,
    ]
    let cut = false
    const { store, follow } = createSessionStore(
      deps(async (input, init) => (cut ? trouble.shift()?.() : undefined) ?? fetch(input, init)),
      id,
    )
    const following = follow({ signal: end.signal })
    await until(() => store.getState().connection.state === "live")
    const { segments, structural, live } = store.getState()
    cut = true
    place.wire.cut()
    await until(() => store.getState().connection.state === "failed")
    place.wire.mend()
    await until(() => store.getState().connection.state === "live")
    expect(trouble).toEqual([])
    expect(store.getState().structural).not.toBe(structural)
    expect(store.getState()).toMatchObject({ structural, segments, live })
    end.abort()
    await following
  })

  it("shows a long session after one round trip, any of its moments exactly, and reads back as far as somebody goes", async () => {
    const id = await longSession(place)
    const asked: string[] = []
    const { store, follow, replay, readEarlier } = createSessionStore(
      deps((input, init) => {
        const { pathname, searchParams } = new URL(String(input))
        if (pathname.endsWith("/events")) asked.push([...searchParams.keys()].join())
        return fetch(input, init)
      }),
      id,
    )
    const following = follow({ signal: end.signal })
    await until(() => store.getState().connection.state === "live")
    expect(asked.toSorted()).toEqual(["since_seq,limit,event_types", "tail"])
    const all = await wholeLog(id)
    const fold = (seq: number) => all.slice(0, seq).reduce(reduceView, emptyView)
    expect(store.getState().live).toEqual(fold(MANY))
    expect(heldOf(store)).toEqual([[MANY - 499, MANY]])

    await readEarlier()
    expect(heldOf(store)).toEqual([[MANY - 999, MANY]])
    replay(1234)
    expect(store.getState().shown).toEqual(fold(1234))
    await readEarlier()
    await readEarlier()
    expect(heldOf(store)).toEqual([
      [235, 1234],
      [MANY - 999, MANY],
    ])
    await readEarlier()
    // No earlier events exist before the first.
    await readEarlier()
    expect(store.getState().segments[0]?.events).toEqual(all.slice(0, 1234))
    end.abort()
    await following
  })

  it("stays at the moment that is looked at while the log grows, and is live again when told", async () => {
    const id = await place.session({ built: true })
    const { store, follow, replay } = createSessionStore(deps(), id)
    const following = follow({ signal: end.signal })
    await until(() => store.getState().connection.state === "live")
    replay(10)
    const { shown } = store.getState()
    expect(shown.seq).toBe(10)
    const { run_id } = await place.run(id)
    await place.ended(run_id)
    const { latest_seq } = await place.ask("GET", `/api/v1/sessions/${id}`)
    await until(() => store.getState().live.seq === latest_seq)
    expect(store.getState().shown).toBe(shown)
    replay(null)
    expect(store.getState().shown).toBe(store.getState().live)
    end.abort()
    await following
  })
})

function heldOf({ getState }: { getState(): SessionData }): [number, number][] {
  return getState().segments.map(({ from, to, events }) => {
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: to - from + 1 }, (_, index) => from + index))
    return [from, to]
  })
}

async function wholeLog(id: string): Promise<StudioEvent[]> {
  const events: StudioEvent[] = []
  for (;;) {
    const page = await place.ask("GET", `/api/v1/sessions/${id}/events?since_seq=${events.length}&limit=1000`)
    events.push(...page.events.map(toEvent))
    if (page.to_seq === page.latest_seq) return events
  }
}

function noAnswer(): never {
  throw new TypeError("Failed to fetch")
}

function deps(ask: typeof fetch = fetch): StoreDeps {
  const api = createApi({
    base: place.url,
    fetch: ask,
    csrfToken: () => null,
    onUnauthorized: () => undefined,
    onKeyMissing: () => undefined,
  })
  const pause = async () => void (await setImmediate())
  const streams = createTabStreams("test", {
    tab: "tab",
    locks: undefined,
    openChannel: (name) => new BroadcastChannel(`${place.url} ${name}`),
    fetch: ask,
    random: () => 0.5,
    now: Date.now,
    // Pauses end at once, except the long ones: those for the leader's and the tab's own signs of life, and for the
    // next attempt at a better connection.
    pause: (ms, { signal }) => (ms === UNWATCHED_PING_MS || ms > LONGEST_RETRY_MS ? once(signal) : pause()),
    isWatched: () => false,
    onSleep: () => () => undefined,
    urlOf: (sources) => api.url("GET /api/v1/stream", { query: { sources } }),
  })
  end.signal.addEventListener("abort", () => streams.close())
  return {
    api,
    streams,
    now: Date.now,
    isWatched: () => true,
    nextFrame: (callback) => void setImmediate().then(callback),
    pause,
    // A user is watching the tab all the time.
    seen: async () => undefined,
    unseen: () => new AbortController().signal,
  }
}

const UNWATCHED_PING_MS = 15_000
/** Longest retry of an unwatched tab. Some of its retries happen before a test sees that it is cut off. */
const LONGEST_RETRY_MS = 30_000

function once(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()))
}

async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { interval: 5 }).toBe(true)
}
