import { ApiError } from "../../api/client.ts"
import { type Activity, noActivity, reduceActivity } from "./activity.ts"
import { isStructural, type StudioEvent } from "./event.ts"
import { type LiveText, liveTextAt, noLiveText, reduceLiveText } from "./live-text.ts"
import { isRunning } from "./run.ts"
import { type Segment, segmentAt } from "./segments.ts"
import type { StreamUpdate } from "./subscribe.ts"
import { emptyView, reduceView, type SessionView } from "./view.ts"

export type Connection =
  | { state: "loading"; loaded: number; total: number }
  /** `isPolled`: a proxy holds the stream back, and updates come every few seconds. */
  | { state: "live"; isPolled?: boolean }
  /** Since when, and when the next attempt is. */
  | { state: "reconnecting"; since: number; retryAt: number }
  /** The page is hidden and nothing runs: the stream is closed until the page is visible again. */
  | { state: "resting" }
  | { state: "gone"; status: number }
  | { state: "failed"; message: string }

/** The loaded part of a session's log, and its views. */
export interface SessionData {
  /** The first event of the log. It has every number from there to `live.seq`. */
  firstSeq: number
  /** All events on which views depend, in order. Only ever grows, in place; `live.seq` tells a new one from an old one. */
  structural: StudioEvent[]
  /** The parts of the log that are loaded whole, in order. The last one has the newest events, and grows in place, too. */
  segments: readonly Segment[]
  live: SessionView
  /** The view on the screen: the live one, or that of the replay's moment. */
  shown: SessionView
  /** The texts that are being written now. */
  liveText: LiveText
  /** The agents' current activity. */
  activity: Activity
  /** The texts that were being written at the moment on the screen, as far as its part of the log is loaded. */
  shownText: LiveText
  /** The event at which the replay stands; null when live. */
  replaySeq: number | null
  /** The events of the session that this one replaced. */
  carried: { events: StudioEvent[]; note: string } | null
  /** The newest event when the page was last hidden. */
  leftAt: number | null
  /** The loading of events before the segment that is shown. */
  earlier: { state: "read" } | { state: "reading" } | { state: "failed"; message: string }
  connection: Connection
}

/** A log as far as it is loaded at first. */
export interface LoadedLog {
  newest: Segment
  /** All structural events up to the newest event. */
  structural: StudioEvent[]
  firstSeq: number
}

export function emptyData(): SessionData {
  return {
    firstSeq: 1,
    structural: [],
    segments: [],
    live: emptyView,
    shown: emptyView,
    liveText: noLiveText,
    shownText: noLiveText,
    activity: noActivity,
    replaySeq: null,
    carried: null,
    leftAt: null,
    earlier: { state: "read" },
    connection: { state: "loading", loaded: 0, total: 0 },
  }
}

/** The data of a log that was just loaded, live. */
export function loadedData({ newest, structural, firstSeq }: LoadedLog): Partial<SessionData> {
  const live = { ...structural.reduce(reduceView, emptyView), seq: newest.to }
  const liveText = liveTextAt(newest.events, newest.to)
  const activity = newest.events.reduce(reduceActivity, noActivity)
  const shown = { shown: live, shownText: liveText, replaySeq: null }
  return { firstSeq, structural, segments: [newest], live, liveText, activity, ...shown }
}

/** The data after more events of the stream; the same object if none of them is new. */
export function withEvents(data: SessionData, events: readonly StudioEvent[]): SessionData | Partial<SessionData> {
  const { structural, segments, live: before, replaySeq, shown, shownText } = data
  const fresh = events.filter((event) => event.seq > before.seq)
  const newest = segments.at(-1)
  if (fresh.length === 0 || !newest) return data
  for (const event of fresh) {
    newest.events.push(event)
    if (isStructural(event)) structural.push(event)
  }
  if (replaySeq === null) trim(newest)
  const live = fresh.reduce(reduceView, before)
  newest.to = live.seq
  const liveText = fresh.reduce(reduceLiveText, data.liveText)
  const activity = fresh.reduce(reduceActivity, data.activity)
  if (replaySeq !== null) return { live, shown, liveText, shownText, activity }
  return { live, shown: live, liveText, shownText: liveText, activity }
}

/**
 * A session that is looked at all day would fill the memory: of the newest events, so many are kept, and more can be loaded
 * again. It is let go of many at once, so that a list has to follow seldom.
 */
const MOST_EVENTS = 20_000
const KEPT_EVENTS = 10_000

function trim(newest: Segment): void {
  const excess = newest.events.length > MOST_EVENTS ? newest.events.length - KEPT_EVENTS : 0
  if (excess === 0) return
  newest.events.splice(0, excess)
  newest.from = newest.events[0]?.seq ?? newest.from
}

/** The data at a moment of the replay; live for null, or from the newest event on. */
export function replayedAt(
  { live, firstSeq, liveText, segments }: SessionData,
  seq: number | null,
  viewAt: (seq: number) => SessionView,
): Partial<SessionData> {
  if (seq === null || seq >= live.seq) return { replaySeq: null, shown: live, shownText: liveText }
  const shown = viewAt(Math.max(seq, firstSeq))
  const events = isRunning(shown.run) ? segmentAt(segments, shown.seq)?.events : undefined
  return { replaySeq: seq, shown, shownText: events ? liveTextAt(events, shown.seq) : noLiveText }
}

/** The connection after update of the stream. An outage lasts since its first failure. */
export function connectionAfter(before: Connection, update: StreamUpdate, now: number): Connection {
  switch (update.type) {
    case "connected":
      return { state: "live", isPolled: update.isPolled }
    case "lost":
      return {
        state: "reconnecting",
        since: before.state === "reconnecting" ? before.since : now,
        retryAt: now + update.retryMs,
      }
    case "gone":
      return { state: "gone", status: update.status }
    default:
      return before
  }
}

/** The connection after the log couldn't be loaded. */
export function connectionAfterError(error: unknown): Extract<Connection, { state: "gone" | "failed" }> {
  const { status, message } = error instanceof ApiError ? error : { status: 500, message: String(error) }
  return status === 404 || status === 401 ? { state: "gone", status } : { state: "failed", message }
}
