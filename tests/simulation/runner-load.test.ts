import { describe, expect, it } from "vitest"
import { itDeep } from "../depth.ts"
import { overtaken, percentile, simulateLoad } from "./runner-load.ts"

const LIMITS = { total: 100, perOwner: 50 }
const WELL = { lost: 0, doubled: 0, late: 0 }
const BADLY = { lost: 0.1, doubled: 0.2, late: 0.1 }

/** Returns owners for this many sessions, twenty different ones. */
const ownersOf = (sessions: number) => Array.from({ length: sessions }, (_, index) => `owner-${index % 20}`)

function figures({ asksMs, minutes, throttled, units }: Awaited<ReturnType<typeof simulateLoad>>) {
  const [p50, p95, most] = [50, 95, 100].map((percent) => Math.round(percentile(asksMs, percent)))
  const writes = [...units].filter(([name]) => name.startsWith("write ")).reduce((sum, [, count]) => sum + count, 0)
  return `${asksMs.length} asks: p50 ${p50} ms, p95 ${p95} ms, most ${most} ms; ${minutes} minutes; ${writes} writes; throttled ${JSON.stringify([...throttled])}`
}

describe("the queue for containers, on a table that takes 1,000 writes a second for a partition", () => {
  it.each([
    ["all at once", 0],
    ["within a second", 1000],
    ["within a minute", 60_000],
  ])(
    "serves 300 sessions that ask %s for 100 places, each ask under 200 ms, in their order",
    async (_when, withinMs) => {
      const done = await simulateLoad({
        ...{ seed: 1, limits: LIMITS, owners: ownersOf(300), withinMs, events: WELL, lostLaunches: 0 },
      })
      console.info(figures(done))
      expect(done.failures).toEqual([])
      expect(done.sessions.filter(({ isDone }) => !isDone)).toEqual([])
      expect(percentile(done.asksMs, 95)).toBeLessThan(200)
      expect(done.mostRunning).toBe(100)
      const { ofOwner, ofAnother } = overtaken(done.sessions)
      expect(ofOwner).toBe(0)
      expect(ofAnother).toBeLessThanOrEqual(1)
    },
  )

  it("lets no owner have more than its share, and serves those who have less in their order", async () => {
    const owners = [...Array.from({ length: 150 }, () => "many"), ...ownersOf(150)]
    const done = await simulateLoad({
      ...{ seed: 2, limits: LIMITS, owners, withinMs: 1000, events: WELL, lostLaunches: 0 },
    })
    console.info(figures(done))
    expect(done.failures).toEqual([])
    expect(done.mostOfOneOwner).toBe(50)
    expect(overtaken(done.sessions.filter(({ owner }) => owner === "many")).ofOwner).toBe(0)
    const others = overtaken(done.sessions.filter(({ owner }) => owner !== "many"))
    expect(others.ofOwner).toBe(0)
    expect(others.ofAnother).toBeLessThanOrEqual(1)
  })

  it("keeps the order and the limit where events are lost, doubled and late", async () => {
    const done = await simulateLoad({
      ...{ seed: 16, limits: LIMITS, owners: ownersOf(300), withinMs: 1000, events: BADLY, lostLaunches: 0 },
    })
    console.info(figures(done))
    expect(done.failures).toEqual([])
    expect(done.mostRunning).toBeLessThanOrEqual(100)
    expect(percentile(done.asksMs, 95)).toBeLessThan(200)
    const { ofOwner, ofAnother } = overtaken(done.sessions)
    expect(ofOwner).toBe(0)
    expect(ofAnother).toBeLessThanOrEqual(1)
  })

  it("serves everyone although launches are lost, too", async () => {
    const done = await simulateLoad({
      ...{ seed: 3, limits: LIMITS, owners: ownersOf(200), withinMs: 1000, events: BADLY, lostLaunches: 0.05 },
    })
    console.info(figures(done))
    expect(done.failures).toEqual([])
    expect(done.sessions.filter(({ isDone }) => !isDone)).toEqual([])
    expect(done.mostRunning).toBeLessThanOrEqual(100)
  })

  itDeep(
    "with 3,000 sessions within a second, is slowed down first by the reads of its slots, and fails no ask",
    async () => {
      const done = await simulateLoad({
        ...{ seed: 4, limits: LIMITS, owners: ownersOf(3000), withinMs: 1000, events: WELL, lostLaunches: 0 },
      })
      console.info(figures(done))
      expect(done.failures).toEqual([])
      expect([...done.throttled.keys()].slice(0, 2)).toEqual(["read runner-slots", "read runner-queue"])
      expect(done.sessions.filter(({ isDone }) => !isDone)).toEqual([])
    },
  )
})
