import type { NewEvent } from "@switchyard/core/events"
import { createNewId } from "@switchyard/core/ids"
import { logName } from "@switchyard/core/kernel/keys"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { hydrateEvent } from "@switchyard/core/log/payload"
import { type PageOptions, type PageRange, readEvents } from "@switchyard/core/sessions/events/event-page"
import type { ApiEvent, EventPage } from "@switchyard/core/sessions/schema"
import { sessionFold } from "@switchyard/core/state"
import { systemClock } from "@switchyard/core/time"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openStores } from "../../../fixtures/stores.ts"
import { deleted, opened } from "../../kernel/folded.ts"
import { noSignal } from "../../log/store.ts"

const signal = noSignal()

let store: Awaited<ReturnType<typeof openStores>>
let deps: { log: ReturnType<typeof createLog>; blobs: typeof store.blobs }
beforeAll(async () => {
  store = await openStores()
  deps = { log: createLog({ ...store, clock: systemClock }), blobs: store.blobs }
})
afterAll(() => store.close())

/** Creates a session with these batches of events. Also returns all events that the API should list. */
async function sessionOf(sid: string, batches: NewEvent[][]) {
  const sessionDeps = {
    ...deps,
    records: store.records,
    clock: systemClock,
    newId: createNewId(),
    fold: sessionFold,
    writer: "test",
  }
  const session = await openSessionLog(sessionDeps, sid, { signal })
  for (const events of batches) await session.decide(() => events, { signal })
  const all: ApiEvent[] = []
  for await (const event of deps.log.read(logName(sid), 0, {})) {
    if (event.seq < (session.state.session.since?.seq ?? 1)) continue
    all.push({ ...(await hydrateEvent(store.blobs, event, {})), session_id: "mine" })
  }
  const found = { sid, sessionId: "mine", state: session.state, history: session.history, touchedAt: 0 }
  const page = (range: PageRange, options: Partial<PageOptions> = {}) =>
    readEvents(deps, found, range, { limit: 1000, signal, ...options })
  return { page, all, latest: session.state.head, first: session.state.session.since?.seq ?? 1 }
}

const said = (type: string, chars: number) => ({ type, text: "é".repeat(chars) }) as unknown as NewEvent
const anEvent = fc
  .tuple(
    fc.constantFrom("a", "b", "rare"),
    fc.oneof({ weight: 9, arbitrary: fc.nat(50) }, { weight: 1, arbitrary: fc.constantFrom(10_000, 40_000, 300_000) }),
  )
  .map(([type, chars]) => said(type, chars))
const someBatches = fc.array(fc.array(anEvent, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 12 })

let sessions = 0
const freshSid = () => `pages-${sessions++}`
const bytesOf = ({ events }: EventPage) => Buffer.byteLength(JSON.stringify(events))

describe("pages of a session's events", () => {
  it("are together the log, in whichever way and steps one walks from wherever one begins", async () => {
    const step = fc.record({ forwards: fc.boolean(), limit: fc.integer({ min: 1, max: 60 }) })
    const walk = fc.record({
      earlier: fc.option(someBatches),
      batches: someBatches,
      begin: fc.nat(),
      steps: fc.infiniteStream(step),
      types: fc.option(fc.uniqueArray(fc.constantFrom<string>("a", "b", "rare", "none"), { minLength: 1 })),
    })
    await fc.assert(
      fc.asyncProperty(walk, async ({ earlier, batches, begin, steps, types }) => {
        const life = earlier ? [[opened(1)], ...earlier, [deleted(1)], [opened(2)]] : [[opened(1)]]
        const { page, all, first, latest } = await sessionOf(freshSid(), [...life, ...batches])
        const options = types ? { types: new Set(types) } : {}
        const start = first - 1 + (begin % (latest - first + 2))
        let [from, to] = [start + 1, start]
        const heard: ApiEvent[] = []
        for (const { forwards, limit } of steps) {
          if (from <= first && to === latest) break
          const ahead = (forwards && to < latest) || from <= first
          const got = await page(ahead ? { since: to } : { before: from }, { limit, ...options })
          expect([got.first_seq, got.latest_seq]).toEqual([first, latest])
          expect(got.events.length).toBeLessThanOrEqual(limit)
          if (got.events.length > 1) expect(bytesOf(got)).toBeLessThan(1024 * 1024 + 100_000)
          if (ahead) {
            expect([got.from_seq, got.to_seq > to]).toEqual([Math.max(to + 1, first), true])
            heard.push(...got.events)
            to = got.to_seq
          } else {
            expect([got.to_seq, got.from_seq < from]).toEqual([from - 1, true])
            heard.unshift(...got.events)
            from = got.from_seq
          }
        }
        expect(heard).toEqual(types ? all.filter(({ type }) => types.includes(type)) : all)
      }),
      { numRuns: 60 },
    )
  })

  it("are empty at either end, and lead on from there", async () => {
    const { page, latest } = await sessionOf(freshSid(), [[opened(1)], [said("a", 1), said("a", 1)]])
    expect(await page({ since: latest })).toMatchObject({ events: [], from_seq: latest + 1, to_seq: latest })
    expect(await page({ before: 1 })).toMatchObject({ events: [], from_seq: 1, to_seq: 0 })
    expect(await page({ before: 0 })).toMatchObject({ events: [], from_seq: 1, to_seq: 0 })
    const tail = await page({ before: Number.POSITIVE_INFINITY }, { limit: 2 })
    expect([tail.events.map(({ seq }) => seq), tail.from_seq, tail.to_seq]).toEqual([[2, 3], 2, 3])
  })

  it("end with one event that is larger than any page", async () => {
    const large = said("a", 900_000)
    const { page } = await sessionOf(freshSid(), [[opened(1)], [large], [large], [said("b", 1)]])
    expect((await page({ since: 1 })).events.map(({ seq }) => seq)).toEqual([2])
    expect((await page({ before: 4 })).events.map(({ seq }) => seq)).toEqual([3])
    expect((await page({ before: 5 })).events.map(({ seq }) => seq)).toEqual([4])
  })

  it("look at so many events only in search of those that were asked for, and say how far", async () => {
    const many = Array.from({ length: 250 }, () => Array.from({ length: 100 }, () => said("a", 0)))
    const { page, latest } = await sessionOf(freshSid(), [[opened(1)], ...many, [said("rare", 1)]])
    const types = new Set(["rare"])
    expect(await page({ since: 0 }, { types })).toMatchObject({ events: [], from_seq: 1, to_seq: 10_000 })
    expect(await page({ before: latest }, { types })).toMatchObject({ events: [], from_seq: latest - 10_000 })
    expect((await page({ since: 20_000 }, { types })).events.map(({ seq }) => seq)).toEqual([latest])
  })

  it("are refused from a place that isn't of this life of the session", async () => {
    const life = [[opened(1)], [said("a", 1)], [said("a", 1)], [deleted(1)], [opened(2)], [said("b", 1)]]
    const { page } = await sessionOf(freshSid(), life)
    for (const since of [1, 2, 3, 7, 1e12]) {
      await expect(page({ since })).rejects.toMatchObject({
        code: "resync",
        details: { since, begin: 5, latest: 6 },
      })
    }
    for (const since of [0, 4]) expect((await page({ since })).events.map(({ seq }) => seq)).toEqual([5, 6])
  })
})
