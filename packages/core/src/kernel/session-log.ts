import { createMutex } from "../concurrency/mutex.ts"
import { backoffMs, retry } from "../concurrency/retry.ts"
import { AppError, isAppError } from "../errors.ts"
import type { LogEvent, NewEvent } from "../events.ts"
import type { NewId } from "../ids.ts"
import type { Log } from "../log/log.ts"
import type { SessionState } from "../state.ts"
import type { Records } from "../storage/records.ts"
import type { Clock } from "../time.ts"
import type { ForgetResult, SessionFold } from "./fold.ts"
import { type History, isIndexed, storeHistory } from "./history.ts"
import { artifactBlobs, logName } from "./keys.ts"
import { readSnapshot, type Snapshot, writeSnapshot } from "./snapshot.ts"

/** Result of a rule: the events to append, possibly none, or an error. */
export type Verdict = NewEvent[] | AppError

/**
 * Decides what to append to a session log. Must be pure, because it is applied again if another writer appends first.
 * Rules enforce all invariants of a session.
 */
export type Rule = (state: SessionState) => Verdict

/** A session log and the state computed from it. All appends go through this interface. Calls run one at a time. */
export interface SessionLog {
  readonly sid: string
  /** State as of the last event that was read or written through this interface. */
  readonly state: SessionState
  /** History from which lists of events are read. See `readHistory`. */
  readonly history: History
  /** Reads to the head of the log and returns the state. */
  catchUp(options: { signal: AbortSignal }): Promise<SessionState>
  /**
   * Appends the rule's events to the head of the log as one batch, and returns the stored events. If the rule returns
   * an error, throws it, but only after reading up to the head of the log.
   */
  decide(rule: Rule, options: { signal: AbortSignal }): Promise<LogEvent[]>
}

export interface SessionLogDeps {
  log: Log
  records: Records
  clock: Clock
  newId: NewId
  /** Name of this process. It is stored with each batch. */
  writer: string
  /** `sessionFold` from `core/src/state.ts`. */
  fold: SessionFold
  /** Retry window of a decision. After that, it throws `storage_unavailable`. Unlimited by default. */
  retryForMs?: number
  /** Receives each batch that this process appends, and the state after it. A batch is passed at most once. */
  onAppended?: (sid: string, events: LogEvent[], state: SessionState) => void
}

const SNAPSHOT_EVERY = 200

/**
 * Number of events after the last snapshot at which readers write a snapshot. If there are so many, a newer snapshot
 * was lost or couldn't be written.
 */
const READ_SNAPSHOT_EVERY = 1000

/**
 * Number of indexed events per step of a long fold. Each step stores and forgets some history, so that late events
 * don't take longer than early ones.
 */
const STORE_EVERY_INDEXED = 500

interface Folded {
  state: SessionState
  history: { storedSeq: number; unstored: LogEvent[] }
}

/**
 * Opens a session log and computes its state up to the head. Takes two reads: one for the snapshot, and one for the
 * events after it.
 */
export async function openSessionLog(
  { log, records, clock, newId, writer, fold, retryForMs = Number.POSITIVE_INFINITY, onAppended }: SessionLogDeps,
  sid: string,
  options: { signal: AbortSignal },
): Promise<SessionLog> {
  const exclusively = createMutex()
  const snapshot = await readSnapshot(records, sid, fold, options.signal)
  const base = snapshot.stale.length === 0 ? snapshot.state : await refoldStale(snapshot, options.signal)
  // The writer of the snapshot stored the history before the snapshot, so the history is complete up to the snapshot's
  // head.
  let folded: Folded = { state: base, history: { storedSeq: base.head, unstored: [] } }
  // Treat an incomplete snapshot as missing, so that a complete one is written soon. Otherwise, every reader would have
  // to compute the missing parts again.
  let snapshotHead = snapshot.stale.length === 0 ? base.head : 0

  /**
   * Computes the parts that are missing in a snapshot, from the start of the log up to the snapshot's head. Leaves the
   * other parts unchanged.
   */
  async function refoldStale({ state: from, stale }: Snapshot, signal: AbortSignal): Promise<SessionState> {
    let state = fold.without(from, stale)
    for await (const event of log.read(logName(sid), 0, { signal })) {
      if (event.seq > from.head) break
      state = fold.applyTo(state, event, stale)
      if (fold.endsWork(event) && fold.isCrowded(state)) {
        const forgotten = fold.forget(state)
        await bestEffort(async () => {
          state = await storeForgotten(forgotten, signal)
        }, signal)
      }
    }
    return state
  }

  /** Stores the forgotten work, and returns the state without it. */
  async function storeForgotten(forgotten: ForgetResult, signal: AbortSignal): Promise<SessionState> {
    await forgotten.store(records, sid, { signal })
    return forgotten.state
  }

  async function catchUpToHead(signal: AbortSignal): Promise<SessionState> {
    try {
      await foldEvents(folded, log.read(logName(sid), folded.state.head, { signal, batchEnd: true }), signal)
    } catch (error) {
      if (!isAppError(error, "resync")) throw error
      // The start of the log is gone. The rest begins with everything that still matters. Replace the state only once
      // the new one is complete, because a decision must never be based on a partial state.
      const rebuilt: Folded = { state: fold.empty, history: { storedSeq: 0, unstored: [] } }
      await foldEvents(rebuilt, log.read(logName(sid), 0, { signal }), signal)
      folded = rebuilt
    }
    if (folded.state.head - snapshotHead >= READ_SNAPSHOT_EVERY) await checkpoint(signal)
    return folded.state
  }

  async function foldEvents(onto: Folded, events: AsyncIterable<LogEvent>, signal: AbortSignal): Promise<void> {
    for await (const event of events) {
      apply(onto, event)
      if (isStoreDue(onto, event)) await bestEffort(() => storeHistoryAndForget(onto, signal), signal)
    }
  }

  function apply(onto: Folded, event: LogEvent): void {
    onto.state = fold.apply(onto.state, event)
    if (isIndexed(event)) onto.history.unstored.push(event)
  }

  function isStoreDue({ state, history: { unstored } }: Folded, event: LogEvent): boolean {
    if (fold.endsWork(event)) return fold.isCrowded(state)
    return isIndexed(event) && unstored.length % STORE_EVERY_INDEXED === 0
  }

  /** Stores the history up to the head of the state, and then the work that the state forgets. */
  async function storeHistoryAndForget(of: Folded, signal: AbortSignal): Promise<void> {
    const { state, history } = of
    const forgotten = fold.forget(state)
    const range = { from: history.storedSeq, to: state.head, events: history.unstored }
    await storeHistory(records, sid, range, { signal })
    of.state = await storeForgotten(forgotten, signal)
    of.history = { storedSeq: state.head, unstored: [] }
  }

  async function checkpoint(signal: AbortSignal): Promise<void> {
    snapshotHead = folded.state.head
    await bestEffort(async () => {
      await storeHistoryAndForget(folded, signal)
      await writeSnapshot(records, sid, { state: folded.state, fold }, signal)
    }, signal)
  }

  async function decide(rule: Rule, signal: AbortSignal): Promise<LogEvent[]> {
    for (let confirmedHead = -1; ; confirmedHead = folded.state.head) {
      const verdict = rule(folded.state)
      const refused = verdict instanceof AppError
      if (refused || verdict.length === 0) {
        if (confirmedHead === folded.state.head && refused) throw verdict
        if (confirmedHead === folded.state.head) return []
      } else {
        const appended = await append(verdict, signal)
        if (appended) return appended
      }
      await withRetries(() => catchUpToHead(signal), signal)
    }
  }

  /** Retries while the store is unavailable, as an append does. */
  async function withRetries(task: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    const giveUpAt = clock.monotonic() + retryForMs
    const delayMs = (error: unknown, attempt: number) => {
      const retriable = isAppError(error, "storage_unavailable") && clock.monotonic() < giveUpAt && !signal.aborted
      return retriable ? backoffMs(attempt, 50, 2000) : undefined
    }
    await retry(task, { delayMs, clock, signal })
  }

  async function append(events: NewEvent[], signal: AbortSignal): Promise<LogEvent[] | undefined> {
    const batch = { batchId: newId("bat"), writer, at: clock.now(), events }
    const opened = events.find((event) => event.type === "session_opened")
    const artifacts = artifactBlobs(sid, opened?.incarnation ?? folded.state.session.incarnation)
    const appended = await log.append(logName(sid), folded.state.head, batch, { artifacts, signal })
    if (!appended) return undefined
    for (const event of appended.events) apply(folded, event)
    onAppended?.(sid, appended.events, folded.state)
    if (folded.state.head - snapshotHead >= SNAPSHOT_EVERY || appended.events.some(fold.endsWork)) {
      await checkpoint(signal)
    }
    return appended.events
  }

  await catchUpToHead(options.signal)
  return {
    sid,
    get state() {
      return folded.state
    },
    get history() {
      return folded.history
    },
    catchUp: ({ signal }) => exclusively(() => catchUpToHead(signal)),
    decide: (rule, { signal }) => exclusively(() => decide(rule, signal)),
  }
}

/**
 * Runs `store` and ignores storage failures. The events are already in the log, and the stored copy is only a cache.
 */
async function bestEffort(store: () => Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await store()
  } catch (error) {
    const harmless = isAppError(error, "storage_unavailable") || isAppError(error, "storage_too_large")
    if (!harmless && !signal.aborted) throw error
  }
}
