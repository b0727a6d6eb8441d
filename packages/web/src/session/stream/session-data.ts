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
  /** `isPolled`: a proxy holds the stream back, so updates arrive only every few seconds. */
  | { state: "live"; isPolled?: boolean }
  /** When the outage began, and when the next attempt is. */
  | { state: "reconnecting"; since: number; retryAt: number }
  /** The page is hidden and nothing is running: the stream is closed until the page is visible again. */
  | { state: "resting" }
  | { state: "gone"; status: number }
  | { state: "failed"; message: string }

/** The loaded part of a session's log, and its views. */
export interface SessionData {
  /** First event of the log. The log contains every number from there to `live.seq`. */
  firstSeq: number
  /** All events that views depend on, in order. It only grows, in place; `live.seq` shows whether it has. */
  structural: StudioEvent[]
  /**
   * Parts of the log that are completely loaded, in order. The last one contains the latest events, and also grows in
   * place.
   */
  segments: readonly Segment[]
  live: SessionView
  /** View on the screen: the live one, or that of the replayed moment. */
  shown: SessionView
  /** Texts being written now. */
  liveText: LiveText
  /** Agents' current activity. */
  activity: Activity
  /** Texts being written at the moment on the screen, as far as that part of the log is loaded. */
  shownText: LiveText
  /** Event that the replay is at; null when live. */
  replaySeq: number | null
  /** Events of the session replaced by this one. */
  carried: { events: StudioEvent[]; note: string } | null
  /** Latest event when the page was last hidden. */
  leftAt: number | null
  /** Progress of loading events before the segment being shown. */
  earlier: { state: "read" } | { state: "reading" } | { state: "failed"; message: string }
  connection: Connection
}

/** The initially loaded part of a log. */
export interface LoadedLog {
  newest: Segment
  /** All structural events up to the latest event. */
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

/** Returns the live data of a log that was just loaded. */
export function loadedData({ newest, structural, firstSeq }: LoadedLog): Partial<SessionData> {
  const live = { ...structural.reduce(reduceView, emptyView), seq: newest.to }
  const liveText = liveTextAt(newest.events, newest.to)
  const activity = newest.events.reduce(reduceActivity, noActivity)
  const shown = { shown: live, shownText: liveText, replaySeq: null }
  return { firstSeq, structural, segments: [newest], live, liveText, activity, ...shown }
}

/** Returns the data after more events from the stream; the same object if none of them is new. */
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
 * Without a limit, a session watched all day would fill the memory. Only this many of the latest events are kept;
 * earlier ones can be loaded again. Many are dropped at once, so that lists rarely have to adjust.
 */
const MOST_EVENTS = 20_000
const KEPT_EVENTS = 10_000

function trim(newest: Segment): void {
  const excess = newest.events.length > MOST_EVENTS ? newest.events.length - KEPT_EVENTS : 0
  if (excess === 0) return
  newest.events.splice(0, excess)
  newest.from = newest.events[0]?.seq ?? newest.from
}

/** Returns the data at a replayed moment. Null, or the latest event, means live. */
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

/** Returns the connection state after an update from the stream. An outage begins with its first failure. */
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

/** Returns the connection state after the log couldn't be loaded. */
export function connectionAfterError(error: unknown): Extract<Connection, { state: "gone" | "failed" }> {
  const { status, message } = error instanceof ApiError ? error : { status: 500, message: String(error) }
  return status === 404 || status === 401 ? { state: "gone", status } : { state: "failed", message }
}
