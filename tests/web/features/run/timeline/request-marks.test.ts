import { describe, expect, it } from "vitest"
import { requestMarks } from "../../../../../packages/web/src/features/run/timeline/request-marks.ts"
import type { Turn } from "../../../../../packages/web/src/session/stream/conversation.ts"

const asked = (firstSeq: number) => ({ run: { firstSeq, prompt: `Ask ${firstSeq}.\nMore.` } }) as unknown as Turn
const marks = (seqs: number[], total: number, width: number) =>
  requestMarks(seqs.map(asked), { firstSeq: 1, total, width })

describe("the marks of requests", () => {
  it("stand where their events do, by number and first line", () => {
    expect(marks([1, 51], 100, 1000)).toMatchObject([
      { seq: 1, number: 1, title: "Ask 1.", x: 0, left: 0 },
      { seq: 51, number: 2, title: "Ask 51.", x: 500, left: 488 },
    ])
  })

  it("stay on the line, and never cover one another, however many there are", () => {
    const many = marks(
      Array.from({ length: 1000 }, (_, index) => index + 1),
      1000,
      300,
    )
    expect(many.length).toBeGreaterThan(5)
    for (const [index, { left }] of many.entries()) {
      expect(left).toBeLessThanOrEqual(276)
      expect(left - (many[index - 1]?.left ?? -24)).toBeGreaterThanOrEqual(24)
    }
  })

  it("aren't there where there is no room, or nothing yet", () => {
    expect(marks([1], 10, 20)).toEqual([])
    expect(marks([], 0, 1000)).toEqual([])
  })
})
