import { describe, expect, it } from "vitest"
import {
  nextSeq,
  positionOf,
  seqAtPosition,
  totalOf,
} from "../../../../packages/web/src/session/view/replay-position.ts"

const live = { firstSeq: 11, headSeq: 20, replaySeq: null }
const at = (replaySeq: number) => ({ ...live, replaySeq })

describe("a session's position", () => {
  it("is counted in events from the first that there is", () => {
    expect(totalOf(live)).toBe(10)
    expect(positionOf(live)).toBe(10)
    expect(positionOf(at(11))).toBe(1)
    expect(positionOf(at(19))).toBe(9)
    expect(positionOf(at(3))).toBe(1)
  })

  it("is nowhere in a session without events", () => {
    const empty = { firstSeq: 1, headSeq: 0, replaySeq: null }
    expect([totalOf(empty), positionOf(empty)]).toEqual([0, 0])
  })

  it("leads back to its event, and at the end to live", () => {
    for (const seq of [11, 15, 19]) expect(seqAtPosition(live, positionOf(at(seq)))).toBe(seq)
    expect(seqAtPosition(live, 10)).toBeNull()
    expect(seqAtPosition(live, 99)).toBeNull()
    expect(seqAtPosition(live, 0)).toBe(11)
    expect(seqAtPosition(live, -5)).toBe(11)
  })
})

describe("a replay that plays", () => {
  it("goes event by event through a short session, and on to live", () => {
    expect(nextSeq(at(11))).toBe(12)
    expect(nextSeq(at(18))).toBe(19)
    expect(nextSeq(at(19))).toBeNull()
  })

  it("takes about 20 seconds for a session of any length", () => {
    const long = { firstSeq: 1, headSeq: 100_000 }
    let frames = 0
    for (let seq: number | null = 1; seq !== null; frames++) seq = nextSeq({ ...long, replaySeq: seq })
    expect(frames * 60).toBeGreaterThan(19_000)
    expect(frames * 60).toBeLessThan(21_000)
  })
})
