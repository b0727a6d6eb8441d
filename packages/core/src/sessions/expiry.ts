import { deleteTerminals } from "../agents/terminals/terminal-log.ts"
import type { RepositoryCredentials } from "../files/worktrees/repository-credentials.ts"
import type { DueList } from "../kernel/due.ts"
import { removeHistory } from "../kernel/history.ts"
import { incarnationBlobs, logName } from "../kernel/keys.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "../kernel/session-log.ts"
import type { Log } from "../log/log.ts"
import type { SessionState } from "../state.ts"
import type { Blobs } from "../storage/blobs.ts"
import { removeEndedRuns } from "../work/runs/ended-runs.ts"
import { activeRuns } from "../work/runs/state.ts"
import { type Cleanups, noteCleaned } from "./cleanup.ts"
import type { OwnerLimits } from "./owner-limits.ts"
import { deleteSession } from "./rules.ts"
import {
  entryKey,
  GRACE_MS,
  OVERDUE_MS,
  readEntry,
  SESSION_TTL_MS,
  SessionEntry,
  TOUCH_RESOLUTION_MS,
  writeEntry,
} from "./session-index.ts"

export interface ExpiryDeps extends SessionLogDeps {
  blobs: Blobs
  due: DueList
  repositoryCredentials: Pick<RepositoryCredentials, "erase">
  limits: Pick<OwnerLimits, "release">
  cleanups: Pick<Cleanups, "retentionMs">
  /** Retention period of an untouched session, if the session has no entry. */
  retentionMs: number
  /** Frees stored data that can be recreated. */
  freeFiles: (session: SessionLog, options: { signal: AbortSignal }) => Promise<void>
  /** Removes the records of a run whose events have been removed. */
  forgetRun: (sid: string, runId: string, options: { signal: AbortSignal }) => Promise<void>
}

interface Options {
  signal: AbortSignal
}

/**
 * Sweeps one session whose hint is due. Frees data that can be recreated if nobody has used the session for an hour.
 * Deletes the session after its owner's retention period, and removes the deleted data after a grace period. Adds a
 * hint for the next step.
 */
export async function sweepSession(deps: ExpiryDeps, sid: string, options: Options): Promise<void> {
  const session = await openSessionLog(deps, sid, options)
  const { state } = session
  if (state.session.since === null) return forgetUnopened(deps, sid, options)
  const next = state.session.deleted
    ? await sweepDeleted(deps, session, options)
    : await sweepLive(deps, session, options)
  if (next !== undefined) await deps.due.add({ kind: "session", sid }, next, options)
}

/** Removes data that was prepared for a session that was never opened, unless the session is just being opened. */
async function forgetUnopened(deps: ExpiryDeps, sid: string, options: Options): Promise<void> {
  const { records, clock, due } = deps
  const entry = await readEntry(records, sid, options)
  const until = (entry?.touched_at ?? 0) + GRACE_MS
  if (clock.now() < until) {
    await due.add({ kind: "session", sid }, until, options)
    return
  }
  await deps.repositoryCredentials.erase(sid, options)
  if (!entry) return
  await deps.limits.release(entry.owner, sid, options)
  await records.remove(entryKey(sid), options)
}

async function sweepLive(deps: ExpiryDeps, session: SessionLog, options: Options): Promise<number> {
  const { records, clock } = deps
  const now = clock.now()
  await removeEarlierIncarnations(deps, session, options)
  const entry = await readEntry(records, session.sid, options)
  const touchedAt = entry?.touched_at ?? incarnationChangedAt(session.state)
  // A run may take longer than a session stays warm, so an active run keeps the session alive.
  if (activeRuns(session.state).length > 0) return now + SESSION_TTL_MS
  const expiresAt = touchedAt + SESSION_TTL_MS + TOUCH_RESOLUTION_MS
  if (now < expiresAt) return expiresAt
  const retentionMs = entry ? await deps.cleanups.retentionMs(entry.owner, options) : deps.retentionMs
  if (now < touchedAt + retentionMs) {
    await deps.freeFiles(session, options)
    return touchedAt + retentionMs
  }
  if (entry) {
    const deletableAt = await deletableFrom(deps, entry, options)
    if (now < deletableAt) return deletableAt
  }
  await session.decide(deleteSession("retention"), options)
  if (session.state.session.deleted) {
    await deps.repositoryCredentials.erase(session.sid, options)
    if (entry) {
      await deps.limits.release(entry.owner, session.sid, options)
      await noteCleaned(deps, session, entry, options)
    }
  }
  return now + GRACE_MS
}

/**
 * Returns the earliest time that an overdue session may be deleted. Stores this time if none is stored, or if the clock
 * has been set back since it was stored.
 */
async function deletableFrom({ records, clock }: ExpiryDeps, entry: SessionEntry, options: Options): Promise<number> {
  const { touched_at, overdue } = entry
  const now = clock.now()
  if (overdue?.touched_at === touched_at && overdue.since <= now) return overdue.since + OVERDUE_MS
  const stored = await records.get(entryKey(entry.sid), options)
  // If the session was touched after the entry was read, the touch takes precedence.
  if (stored && SessionEntry.parse(stored.value).touched_at === touched_at) {
    const noted = { ...SessionEntry.parse(stored.value), overdue: { touched_at, since: now } }
    await writeEntry(records, noted, { ifVersion: stored.version, ...options })
  }
  return now + OVERDUE_MS
}

async function sweepDeleted(deps: ExpiryDeps, session: SessionLog, options: Options): Promise<number | undefined> {
  const removableAt = incarnationChangedAt(session.state) + GRACE_MS
  if (deps.clock.now() < removableAt) return removableAt
  // Record the cleanup again, because the sweep that deleted the session may have died before recording it.
  const entry = await readEntry(deps.records, session.sid, options)
  if (entry) await noteCleaned(deps, session, entry, options)
  await removeEarlierIncarnations(deps, session, options)
  // Erase credentials again, because a request may have stored some during the deletion.
  await deps.repositoryCredentials.erase(session.sid, options)
  await deps.records.remove(entryKey(session.sid), options)
  return undefined
}

/**
 * Removes everything before the event that opened or deleted the session. Removes the files before the log, so that the
 * next sweep repeats everything after a crash.
 */
async function removeEarlierIncarnations(deps: ExpiryDeps, session: SessionLog, options: Options): Promise<void> {
  const { log, blobs, clock } = deps
  const { sid, state } = session
  const begin = state.session.since?.seq ?? 1
  const name = logName(sid)
  if (clock.now() < incarnationChangedAt(state) + GRACE_MS) return
  if ((await log.begin(name, options)) >= begin) return log.truncate(name, begin, options)
  for await (const runId of runsBefore(log, sid, begin, options)) await deps.forgetRun(sid, runId, options)
  const last = state.session.deleted ? state.session.incarnation : state.session.incarnation - 1
  // Keep the newest inbox of a live session, because its runner reads it.
  const generation = state.session.deleted ? state.runner.generation : state.runner.generation - 1
  await deleteTerminals(deps, sid, { last, generation }, options)
  await removeHistory(deps.records, sid, begin, options)
  await removeEndedRuns(deps.records, sid, begin, options)
  for (let incarnation = 1; incarnation <= last; incarnation++) {
    await blobs.remove(incarnationBlobs(sid, incarnation), options)
  }
  await log.truncate(name, begin, options)
}

async function* runsBefore(log: Log, sid: string, begin: number, options: Options): AsyncGenerator<string> {
  for await (const event of log.read(logName(sid), 0, options)) {
    if (event.seq >= begin) return
    if (event.type === "run_created") yield event.run_id
  }
}

function incarnationChangedAt(state: SessionState): number {
  return Date.parse(state.session.since?.ts ?? "")
}
