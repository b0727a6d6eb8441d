import { AppError, isAppError } from "../errors.ts"
import type { LogEvent, NewEvent } from "../events.ts"
import type { NewId } from "../ids.ts"
import type { Log } from "../log/log.ts"
import { createMutex } from "../mutex.ts"
import { backoffMs, retry } from "../retry.ts"
import type { SessionState } from "../state.ts"
import type { Records } from "../storage/records.ts"
import type { Clock } from "../time.ts"
import type { ForgetResult, SessionFold } from "./fold.ts"
import { type History, isIndexed, storeHistory } from "./history.ts"
import { artifactBlobs, logName } from "./keys.ts"
import { readSnapshot, type Snapshot, writeSnapshot } from "./snapshot.ts"

/** The answer of a rule to a state: events to append (none is fine), or a refusal. */
export type Verdict = NewEvent[] | AppError

/**
 * A rule of a session: pure, asked again whenever another writer came first. Whatever must never be true of a session is
 * kept from it by rules, and nowhere else.
 */
export type Rule = (state: SessionState) => Verdict

/** One session's log, folded, with the one way to add to it. Calls take effect one after the other. */
export interface SessionLog {
  readonly sid: string
  /** The fold, as far as it was read or written here. */
  readonly state: SessionState
  /** The source of lists; see `readHistory`. */
  readonly history: History
  /** Reads on to the head. */
  catchUp(options: { signal: AbortSignal }): Promise<SessionState>
  /**
   * Appends what the rule says to the head of the log, as one batch, and resolves to the events in their place. A refusal
   * is thrown, but only once the whole log was heard.
   */
  decide(rule: Rule, options: { signal: AbortSignal }): Promise<LogEvent[]>
}

export interface SessionLogDeps {
  log: Log
  records: Records
  clock: Clock
  newId: NewId
  /** Stands in each batch, for whoever reads the store. */
  writer: string
  /** `sessionFold` of `core/src/state.ts`. */
  fold: SessionFold
  /** The time for which a decision retries a store that can't answer before it throws `storage_unavailable`; without it, for ever. */
  patienceMs?: number
}

const SNAPSHOT_EVERY = 200

/** A reader leaves a snapshot, too, where the newest is that far behind: one was lost, or couldn't be written. */
const READ_SNAPSHOT_EVERY = 1000

/** A long fold stores the past, and forgets it, on its way, so that its last event takes no longer than its first. */
const STORE_EVERY_INDEXED = 500

interface Folded {
  state: SessionState
  history: { storedSeq: number; unstored: LogEvent[] }
}

/** Folds a session's log to its head: a snapshot and what came after it, so two reads. */
export async function openSessionLog(
  { log, records, clock, newId, writer, fold, patienceMs = Number.POSITIVE_INFINITY }: SessionLogDeps,
  sid: string,
  options: { signal: AbortSignal },
): Promise<SessionLog> {
  const exclusively = createMutex()
  const snapshot = await readSnapshot(records, sid, fold, options.signal)
  const known = snapshot.stale.length === 0 ? snapshot.state : await foldAnew(snapshot, options.signal)
  // The writer of the snapshot had stored the history first.
  let folded: Folded = { state: known, history: { storedSeq: known.head, unstored: [] } }
  // A snapshot that lacks parts counts for none: a whole one is soon written, lest every reader fold them anew.
  let snapshotHead = snapshot.stale.length === 0 ? known.head : 0

  /** Folds the parts that a snapshot lacks, from all of the log before it, and leaves the others as they are. */
  async function foldAnew({ state: from, stale }: Snapshot, signal: AbortSignal): Promise<SessionState> {
    let state = fold.without(from, stale)
    for await (const event of log.read(logName(sid), 0, { signal })) {
      if (event.seq > from.head) break
      state = fold.applyTo(state, event, stale)
      if (fold.endsSomething(event) && fold.isCrowded(state)) {
        const left = fold.forget(state)
        await harmlessly(async () => {
          state = await stored(left, signal)
        }, signal)
      }
    }
    return state
  }

  /** The state without what has left it, which is stored first. */
  async function stored(left: Forgetting, signal: AbortSignal): Promise<SessionState> {
    await left.store(records, sid, { signal })
    return left.state
  }

  async function readOn(signal: AbortSignal): Promise<SessionState> {
    try {
      await foldOn(folded, log.read(logName(sid), folded.state.head, { signal, batchEnd: true }), signal)
    } catch (error) {
      if (!isAppError(error, "resync")) throw error
      // The log before is gone, and the rest begins with all that still matters. The state is replaced only by a
      // whole one: nobody may decide, or append, on a part.
      const anew: Folded = { state: fold.empty, history: { storedSeq: 0, unstored: [] } }
      await foldOn(anew, log.read(logName(sid), 0, { signal }), signal)
      folded = anew
    }
    if (folded.state.head - snapshotHead >= READ_SNAPSHOT_EVERY) await checkpoint(signal)
    return folded.state
  }

  async function foldOn(onto: Folded, events: AsyncIterable<LogEvent>, signal: AbortSignal): Promise<void> {
    for await (const event of events) {
      apply(onto, event)
      if (isTimeToStore(onto, event)) await harmlessly(() => storePast(onto, signal), signal)
    }
  }

  function apply(onto: Folded, event: LogEvent): void {
    onto.state = fold.apply(onto.state, event)
    if (isIndexed(event)) onto.history.unstored.push(event)
  }

  function isTimeToStore({ state, history: { unstored } }: Folded, event: LogEvent): boolean {
    if (fold.endsSomething(event)) return fold.isCrowded(state)
    return isIndexed(event) && unstored.length % STORE_EVERY_INDEXED === 0
  }

  /** Stores the history up to here and what then leaves the state. */
  async function storePast(of: Folded, signal: AbortSignal): Promise<void> {
    const { state, history } = of
    const left = fold.forget(state)
    const stretch = { from: history.storedSeq, to: state.head, events: history.unstored }
    await storeHistory(records, sid, stretch, { signal })
    of.state = await stored(left, signal)
    of.history = { storedSeq: state.head, unstored: [] }
  }

  async function checkpoint(signal: AbortSignal): Promise<void> {
    snapshotHead = folded.state.head
    await harmlessly(async () => {
      await storePast(folded, signal)
      await writeSnapshot(records, sid, { state: folded.state, fold }, signal)
    }, signal)
  }

  async function decide(rule: Rule, signal: AbortSignal): Promise<LogEvent[]> {
    for (let heard = -1; ; heard = folded.state.head) {
      const verdict = rule(folded.state)
      const refused = verdict instanceof AppError
      if (refused || verdict.length === 0) {
        if (heard === folded.state.head && refused) throw verdict
        if (heard === folded.state.head) return []
      } else {
        const appended = await append(verdict, signal)
        if (appended) return appended
      }
      await patiently(() => readOn(signal), signal)
    }
  }

  /** Retries while the store is unavailable, as an append does. */
  async function patiently(task: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    const giveUpAt = clock.monotonic() + patienceMs
    for (let attempt = 0; ; attempt++) {
      try {
        await task()
        return
      } catch (error) {
        const tired = isAppError(error, "storage_unavailable") && clock.monotonic() < giveUpAt
        if (signal.aborted || !tired) throw error
        await clock.sleep(backoffMs(attempt, 50, 2000), { signal })
      }
    }
  }

  async function append(events: NewEvent[], signal: AbortSignal): Promise<LogEvent[] | undefined> {
    const batch = { batchId: newId("bat"), writer, at: clock.now(), events }
    const opened = events.find((event) => event.type === "session_opened")
    const artifacts = artifactBlobs(sid, opened?.incarnation ?? folded.state.session.incarnation)
    const placed = await log.append(logName(sid), folded.state.head, batch, { artifacts, signal })
    if (!placed) return undefined
    for (const event of placed.events) apply(folded, event)
    if (folded.state.head - snapshotHead >= SNAPSHOT_EVERY || placed.events.some(fold.endsSomething)) {
      await checkpoint(signal)
    }
    return placed.events
  }

  await readOn(options.signal)
  return {
    sid,
    get state() {
      return folded.state
    },
    get history() {
      return folded.history
    },
    catchUp: ({ signal }) => oneAtATime(() => readOn(signal)),
    decide: (rule, { signal }) => oneAtATime(() => decide(rule, signal)),
  }
}

/** The events are in the log already: what is decided, or read, may not fail because a cache of them did. */
async function harmlessly(store: () => Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await store()
  } catch (error) {
    const harmless = isAppError(error, "storage_unavailable") || isAppError(error, "storage_too_large")
    if (!harmless && !signal.aborted) throw error
  }
}
