import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { barPath, barsOf } from "../../../../../packages/web/src/features/run/timeline/timeline-bars.ts"
import { toEvent } from "../../../../../packages/web/src/session/stream/event.ts"
import { cases } from "../../../../settings.ts"

const event = (seq: number, type: string, fields: object = {}) =>
  toEvent({ seq, event_id: `evt_${seq}`, ts: "2026-01-02T03:04:05.000Z", run_id: "run_1", type, ...fields })
const failed = (seq: number) => event(seq, "run_failed", { duration_ms: 1, error_type: "x", message: "", hint: "" })
const claimed = (seq: number) => event(seq, "run_claimed", { generation: 1 })

describe("the bars of the timeline", () => {
  it("are none without events, or without room for them", () => {
    expect(barsOf([], { firstSeq: 1, total: 0 }, 100)).toEqual([])
    expect(barsOf([claimed(1)], { firstSeq: 1, total: 1 }, 0)).toEqual([])
  })

  it("never outnumber the room, and have one for each event where there is room for it", () => {
    expect(barsOf([], { firstSeq: 1, total: 1_000 }, 50)).toHaveLength(50)
    const few = barsOf([claimed(1), claimed(2)], { firstSeq: 1, total: 2 }, 100)
    expect(few.filter((bar) => bar !== null)).toHaveLength(2)
  })

  it("stand where their events are, also in a session whose first events are gone", () => {
    const bars = barsOf([failed(125)], { firstSeq: 101, total: 50 }, 50)
    expect(bars.findIndex((bar) => bar?.lane === "error")).toBe(24)
  })

  it("share the log out evenly, without a bar that stands for nothing", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 300 }), (total, count) => {
        const width = Math.min(count, Math.max(total, 24))
        const shares = Array.from({ length: width }, () => 0)
        for (let index = 0; index < total; index++) {
          const bar = Math.floor((index * width) / Math.max(total, width))
          shares[bar] = (shares[bar] ?? 0) + 1
        }
        const tallest = Math.max(...shares)
        const heights = barsOf([], { firstSeq: 1, total }, count).map((bar) => bar?.height ?? 0)
        const wanted = shares.map((share) => (share === 0 ? 0 : 0.2 + 0.8 * Math.sqrt(share / tallest)))
        expect(heights).toHaveLength(wanted.length)
        for (const [index, height] of heights.entries()) expect(height).toBeCloseTo(wanted[index] ?? Number.NaN)
      }),
      { numRuns: cases({ usual: 200, deep: 5000 }) },
    )
  })

  it("have the colour of what matters most among the events that share one", () => {
    const bars = barsOf([claimed(1), failed(2), claimed(3)], { firstSeq: 1, total: 240 }, 24)
    expect(bars[0]?.lane).toBe("error")
    expect(bars[1]?.lane).toBe("other")
  })

  it("are as tall as there is much, the tallest to the top", () => {
    const known = Array.from({ length: 20 }, (_, at) => claimed(at + 1))
    const heights = barsOf(known, { firstSeq: 1, total: 30 }, 10).map((bar) => bar?.height ?? 0)
    expect(Math.max(...heights)).toBe(1)
    expect(Math.min(...heights)).toBeGreaterThan(0.2)
  })
})

describe("the path of a lane", () => {
  it("draws that lane's bars alone, from the same base", () => {
    const bars = [{ lane: "other", height: 1 } as const, null, { lane: "error", height: 0.5 } as const]
    expect(barPath(bars, "other", 30)).toBe("M0.0 9.0h4.0V35h-4.0Z")
    expect(barPath(bars, "error", 30)).toBe("M20.0 22.0h4.0V35h-4.0Z")
    expect(barPath(bars, "plan", 30)).toBe("")
  })
})
