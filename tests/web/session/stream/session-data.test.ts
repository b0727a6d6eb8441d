import { describe, expect, it } from "vitest"
import { ApiError } from "../../../../packages/web/src/api/client.ts"
import { type StudioEvent, toEvent } from "../../../../packages/web/src/session/stream/event.ts"
import {
  connectionAfter,
  connectionAfterError,
  emptyData,
  loadedData,
  replayedAt,
  type SessionData,
  withEvents,
} from "../../../../packages/web/src/session/stream/session-data.ts"
import { emptyView } from "../../../../packages/web/src/session/stream/view.ts"

const event = (seq: number, type = "progress"): StudioEvent =>
  toEvent({ event_id: `evt_${seq}`, seq, ts: "2026-01-01T00:00:00Z", type, summary: String(seq), text: "" })

/** Returns a log whose events 3 to 5 are loaded. */
function loaded(): SessionData {
  const newest = { from: 3, to: 5, events: [3, 4, 5].map((seq) => event(seq)) }
  return {
    ...emptyData(),
    ...loadedData({ newest, structural: [1, 2, 3, 4, 5].map((seq) => event(seq)), firstSeq: 1 }),
  }
}

describe("a session's data", () => {
  it("is live at the newest event of what was loaded", () => {
    const data = loaded()
    expect(data.live).toMatchObject({ seq: 5, agent: { progress: "5" } })
    expect(data.shown).toBe(data.live)
  })

  it("takes each event once, and only structural ones into the events that views depend on", () => {
    const before = loaded()
    const after = { ...before, ...withEvents(before, [event(5), event(6), event(7, "runner_parked")]) }
    expect(after.segments[0]).toMatchObject({ from: 3, to: 7, events: [{}, {}, {}, { seq: 6 }, { seq: 7 }] })
    expect(after.structural.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect(after.live.seq).toBe(7)
    expect(after.shown).toBe(after.live)
    expect(withEvents(after, [event(7)])).toBe(after)
  })

  it("shows a moment of the replay while the log grows, and is live from the newest event on", () => {
    const viewAt = (seq: number) => ({ ...emptyView, seq })
    const before = loaded()
    const at = { ...before, ...replayedAt(before, 0, viewAt) }
    expect(at).toMatchObject({ replaySeq: 0, shown: { seq: 1 } })
    expect(withEvents(at, [event(6)])).toMatchObject({ live: { seq: 6 }, shown: { seq: 1 } })
    expect(replayedAt(at, 5, viewAt)).toMatchObject({ replaySeq: null, shown: at.live })
    expect(replayedAt(at, null, viewAt)).toMatchObject({ replaySeq: null, shown: at.live })
  })

  it("dates an outage from its first failure, and tells when the next attempt is", () => {
    const lost = { type: "lost" as const, retryMs: 1000, reason: "" }
    const first = connectionAfter({ state: "live" }, lost, 100)
    expect(first).toEqual({ state: "reconnecting", since: 100, retryAt: 1100 })
    expect(connectionAfter(first, lost, 200)).toEqual({ state: "reconnecting", since: 100, retryAt: 1200 })
    expect(connectionAfter(first, { type: "connected" }, 300)).toEqual({ state: "live" })
  })

  it("tells a session that is gone from a log that can't be loaded now", () => {
    const refused = (status: number) => new ApiError(status, "x", "No.")
    expect(connectionAfterError(refused(404))).toEqual({ state: "gone", status: 404 })
    expect(connectionAfterError(refused(401))).toEqual({ state: "gone", status: 401 })
    expect(connectionAfterError(refused(503))).toEqual({ state: "failed", message: "No." })
    expect(connectionAfterError(new TypeError("Failed to fetch"))).toMatchObject({ state: "failed" })
  })
})
