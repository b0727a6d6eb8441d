import { AppError } from "../../errors.ts"
import type { LogEvent } from "../../events.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import { hydrateEvent } from "../../log/payload.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { ApiEvent, EventPage } from "../schema.ts"

/** The range of a page: the first events after `since`, or the last before `before`. */
export type PageRange = { since: number } | { before: number }

export interface PageOptions {
  limit: number
  /** Of these types only. */
  types?: ReadonlySet<string>
  signal: AbortSignal
}

interface PageDeps {
  log: Log
  blobs: Blobs
}

const MAX_BYTES = 1024 * 1024

/** The number of events that one page scans for those of the requested types. */
const MAX_SCANNED = 10_000
const WINDOW = 1000

/**
 * A page of a session's events, in order. It ends with `limit` events or about a megabyte, whichever comes first, but has one
 * if there is one; where it ends, the next one begins. Throws `resync` for a cursor outside of this session.
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

/** The range of a session's events. Those before it belong to an earlier incarnation, which was deleted. */
export function seqRange({ session, head }: SessionState): { first: number; head: number } {
  return { first: session.since?.seq ?? 1, head }
}

/** Whether a client can't resume from `since`. From 0 it always can. */
export function isOutOfRange(state: SessionState, since: number): boolean {
  const { first, head } = seqRange(state)
  return since > head || (since > 0 && since < first - 1)
}

/** Throws `resync` where a client can't resume from `since`. */
export function requireInRange(state: SessionState, since: number): void {
  if (!isOutOfRange(state, since)) return
  const { first, head } = seqRange(state)
  const message = "The cursor is outside of this session. Start again from the beginning."
  throw new AppError("resync", message, { since, begin: first, latest: head })
}

/** An event as the API has it: hydrated, and with the caller's id of its session. */
export async function toApiEvent(
  { blobs }: { blobs: Blobs },
  { sessionId }: { sessionId: string },
  event: LogEvent,
  options: { signal: AbortSignal },
): Promise<ApiEvent> {
  return { ...(await hydrateEvent(blobs, event, options)), session_id: sessionId }
}

interface Page {
  events: ApiEvent[]
  /** Adds the next event, if its type was requested. Resolves to whether there was room for it. */
  add(event: LogEvent): Promise<boolean>
  /** Whether there is no room for another. */
  readonly full: boolean
}

function createPage(deps: PageDeps, session: SessionHandle, { limit, types, signal }: PageOptions): Page {
  const events: ApiEvent[] = []
  let bytes = 0
  let scanned = 0
  return {
    events,
    get full() {
      return events.length >= limit || bytes >= MAX_BYTES || scanned >= MAX_SCANNED
    },
    async add(event) {
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

/** Fills the page from `from` on. Resolves to the last event that it covers. */
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

/** Fills the page from `to` back. Resolves to the first event that it covers. */
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
