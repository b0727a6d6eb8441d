import { AppError } from "../errors.ts"
import type { LogEvent } from "../events.ts"
import { logName } from "../kernel/keys.ts"
import type { SessionHandle } from "../kernel/session-handle.ts"
import type { Log } from "../log/log.ts"
import { wholeEvent } from "../log/payload.ts"
import type { SessionState } from "../state.ts"
import type { Blobs } from "../storage/blobs.ts"
import type { EventPage, ToldEvent } from "./schema.ts"

/** Which events: the first after `since`, or the last before `before`. */
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

/** So many events one page looks at in search of those that were asked for. */
const MAX_LOOKED_AT = 10_000
const WINDOW = 1000

/**
 * A page of a session's events, in order. It ends with `limit` events or about a megabyte, whichever comes first, but has one
 * if there is one; where it ends, the next one begins. Throws `resync` for a place that this session never had.
 */
export async function readEvents(
  deps: PageDeps,
  session: SessionHandle,
  range: PageRange,
  options: PageOptions,
): Promise<EventPage> {
  const { first, head } = reach(session.state)
  const page = createPage(deps, session, options)
  let [from, to] = [0, 0]
  if ("since" in range) {
    if (isOutOfReach(session.state, range.since)) throw outOfReach(session.state, range.since)
    from = Math.max(range.since + 1, first)
    to = await forwards(deps, session, from, page, options)
  } else {
    to = Math.max(first - 1, Math.min(range.before - 1, head))
    from = await backwards(deps, session, to, page, options)
  }
  const events = page.events.sort((a, b) => a.seq - b.seq)
  return { session_id: session.sessionId, events, from_seq: from, to_seq: to, first_seq: first, latest_seq: head }
}

/** The events that a session has. What comes before belongs to an earlier life of it, which was deleted. */
export function reach({ session, head }: SessionState): { first: number; head: number } {
  return { first: session.since?.seq ?? 1, head }
}

/** Whether nobody who heard this session up to `since` can go on from there. From 0 everybody can. */
export function isOutOfReach(state: SessionState, since: number): boolean {
  const { first, head } = reach(state)
  return since > head || (since > 0 && since < first - 1)
}

/** An event as it is told: whole, and with the id by which the caller knows its session. */
export async function tellEvent(
  { blobs }: { blobs: Blobs },
  { sessionId }: { sessionId: string },
  event: LogEvent,
  options: { signal: AbortSignal },
): Promise<ToldEvent> {
  return { ...(await wholeEvent(blobs, event, options)), session_id: sessionId }
}

interface Page {
  events: ToldEvent[]
  /** Looks at the next event, and takes it if it was asked for. Resolves to whether there was room for it. */
  add(event: LogEvent): Promise<boolean>
  /** Whether there is no room for another. */
  readonly full: boolean
}

function createPage(deps: PageDeps, session: SessionHandle, { limit, types, signal }: PageOptions): Page {
  const events: ToldEvent[] = []
  let bytes = 0
  let lookedAt = 0
  return {
    events,
    get full() {
      return events.length >= limit || bytes >= MAX_BYTES || lookedAt >= MAX_LOOKED_AT
    },
    async add(event) {
      lookedAt++
      if (types && !types.has(event.type)) return true
      const told = await tellEvent(deps, session, event, { signal })
      const size = Buffer.byteLength(JSON.stringify(told))
      if (events.length > 0 && bytes + size > MAX_BYTES) return false
      bytes += size
      events.push(told)
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
  const { first } = reach(state)
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

function outOfReach(state: SessionState, since: number): AppError {
  const { first, head } = reach(state)
  const message = "There is no such place in this session: start again from the beginning."
  return new AppError("resync", message, { since, begin: first, latest: head })
}
