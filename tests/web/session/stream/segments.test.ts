import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { StudioEvent } from "../../../../packages/web/src/session/stream/event.ts"
import { addSegment, type Segment, segmentAt } from "../../../../packages/web/src/session/stream/segments.ts"

const segment = (from: number, to: number): Segment => ({
  from,
  to,
  events: Array.from({ length: to - from + 1 }, (_, index) => ({ seq: from + index }) as StudioEvent),
})

describe("what was read of a log", () => {
  it("is every event of every page, once and in order, whichever came first", () => {
    const page = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.nat(12)).map(([from, more]) => segment(from, from + more))
    fc.assert(
      fc.property(fc.array(page, { maxLength: 12 }), (pages) => {
        const held = pages.reduce<Segment[]>(addSegment, [])
        for (let seq = 1; seq <= 80; seq++) {
          const there = pages.some(({ from, to }) => from <= seq && seq <= to)
          expect(segmentAt(held, seq) !== undefined).toBe(there)
        }
        for (const one of held) expect(one).toEqual(segment(one.from, one.to))
        // Two segments without a gap between them are merged into one.
        for (const [index, one] of held.slice(1).entries()) expect(one.from).toBeGreaterThan((held[index]?.to ?? 0) + 1)
      }),
    )
  })
})
