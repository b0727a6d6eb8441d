import { AppError } from "../../errors.ts"
import type { LogEvent } from "../../events.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import { hydrateEvent } from "../../log/payload.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { ApiEvent, EventPage } from "../schema.ts"

/** Range of a page: either the first events after `since`, or the last events before `before`. */
export type PageRange = { since: number } | { before: number }

export interface PageOptions {
  limit: number
  /** Only events of these types. */
  types?: ReadonlySet<string>
  signal: AbortSignal
}

interface PageDeps {
  log: Log
  blobs: Blobs
}

const MAX_BYTES = 1024 * 1024

/** Maximum number of events that are scanned for the requested types to fill a page. */
const MAX_SCANNED = 10_000
const WINDOW = 1000

/**
 * Returns a page of a session's events, in order. A page ends after `limit` events or about a megabyte, whichever comes
 * first. It contains at least one event if there are any. The next page starts where this page ends. Throws `resync` if
 * the cursor is outside this session.
 */
export async function readEvents(
  deps: PageDeps,
  session: SessionHandle,
  range: PageRange,
  options: PageOptions,
): Promise<EventPage> {
  const { first, head } = seqRange(session.state)
  const page = createPage(deps, session, options)
  let [from, to] = [0, 0]
  if ("since" in range) {
    requireInRange(session.state, range.since)
    from = Math.max(range.since + 1, first)
    to = await forwards(deps, session, from, page, options)
  } else {
    to = Math.max(first - 1, Math.min(range.before - 1, head))
    from = await backwards(deps, session, to, page, options)
  }
  const events = page.events.sort((a, b) => a.seq - b.seq)
  return { session_id: session.sessionId, events, from_seq: from, to_seq: to, first_seq: first, latest_seq: head }
}

/**
 * Returns the sequence numbers of a session's first and last events. Events before the first one belong to a deleted
 * incarnation.
 */
export function seqRange({ session, head }: SessionState): { first: number; head: number } {
  return { first: session.since?.seq ?? 1, head }
}

/** True if a client can't resume from `since`. A client can always resume from 0. */
export function isOutOfRange(state: SessionState, since: number): boolean {
  const { first, head } = seqRange(state)
  return since > head || (since > 0 && since < first - 1)
}

/** Throws `resync` if a client can't resume from `since`. */
export function requireInRange(state: SessionState, since: number): void {
  if (!isOutOfRange(state, since)) return
  const { first, head } = seqRange(state)
  const message = "The cursor is outside this session. Start again from the beginning."
  throw new AppError("resync", message, { since, begin: first, latest: head })
}

/** Returns an event as the API shows it: with its full payload, and with the session ID that the caller uses. */
export async function toApiEvent(
  { blobs }: { blobs: Blobs },
  { sessionId }: { sessionId: string },
  event: LogEvent,
  options: { signal: AbortSignal },
): Promise<ApiEvent> {
  return { ...(await hydrateEvent(blobs, event, options)), session_id: sessionId }
}

type Page = ReturnType<typeof createPage>

function createPage(deps: PageDeps, session: SessionHandle, { limit, types, signal }: PageOptions) {
  const events: ApiEvent[] = []
  let bytes = 0
  let scanned = 0
  return {
    events,
    /** True if the page has no room for another event. */
    get full() {
      return events.length >= limit || bytes >= MAX_BYTES || scanned >= MAX_SCANNED
    },
    /** Adds the next event if its type was requested. Returns false if the event doesn't fit. */
    async add(event: LogEvent): Promise<boolean> {
      scanned++
      if (types && !types.has(event.type)) return true
      const apiEvent = await toApiEvent(deps, session, event, { signal })
      const size = Buffer.byteLength(JSON.stringify(apiEvent))
      if (events.length > 0 && bytes + size > MAX_BYTES) return false
      bytes += size
      events.push(apiEvent)
      return true
    },
  }
}

/** Fills the page forwards from `from`. Returns the sequence number of the last event that the page covers. */
async function forwards(
  { log }: PageDeps,
  { sid, state }: SessionHandle,
  from: number,
  page: Page,
  options: PageOptions,
) {
  let covered = from - 1
  if (covered >= state.head) return covered
  for await (const event of log.read(logName(sid), covered, options)) {
    if (event.seq > state.head || !(await page.add(event))) return covered
    covered = event.seq
    if (page.full) return covered
  }
  return covered
}

/** Fills the page backwards from `to`. Returns the sequence number of the first event that the page covers. */
async function backwards(
  { log }: PageDeps,
  { sid, state }: SessionHandle,
  to: number,
  page: Page,
  options: PageOptions,
) {
  const { first } = seqRange(state)
  const size = options.types ? WINDOW : Math.min(options.limit, WINDOW)
  for (let end = to; end >= first; end -= size) {
    const begin = Math.max(first, end - size + 1)
    const events: LogEvent[] = []
    for await (const event of log.read(logName(sid), begin - 1, options)) {
      if (event.seq > end) break
      events.push(event)
    }
    for (const event of events.reverse()) {
      if (!(await page.add(event))) return event.seq + 1
      if (page.full) return event.seq
    }
  }
  return Math.min(first, to + 1)
}
