import { AppError, isAppError } from "../errors.ts"
import type { Log } from "../events/log.ts"
import type { LogEvent, NewEvent } from "../events/schema.ts"
import type { NewId } from "../ids.ts"
import type { Records } from "../storage/records.ts"
import { backoffMs, type Clock, createQueue } from "../stream.ts"
import { artifactBlobs, logName } from "./keys.ts"
import { readSnapshot, writeSnapshot } from "./snapshot.ts"
import { applyEvent, emptySession, type SessionState } from "./state.ts"

/** What a rule says to a state: events to append (none is fine), or why not. */
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
  /** How often a decision asks a store that can't answer before it throws `storage_unavailable`; without it, for ever. */
  attempts?: number
}

const SNAPSHOT_EVERY = 200
const RUN_ENDS = new Set(["run_completed", "run_failed", "run_cancelled"])

/** Folds a session's log to its head: a snapshot and what came after it, so two reads. */
export async function openSessionLog(
  { log, records, clock, newId, writer, attempts = Number.POSITIVE_INFINITY }: SessionLogDeps,
  sid: string,
  options: { signal: AbortSignal },
): Promise<SessionLog> {
  const oneAtATime = createQueue()
  let state = await readSnapshot(records, sid, options.signal)
  let snapshotHead = state.head

  async function readOn(signal: AbortSignal): Promise<SessionState> {
    try {
      const after = log.read(logName(sid), state.head, { signal, batchEnd: true })
      for await (const event of after) state = applyEvent(state, event)
    } catch (error) {
      if (!isAppError(error, "resync")) throw error
      state = await foldAnew(signal)
    }
    return state
  }

  /**
   * What came before is forgotten, and what is kept begins with all that still matters. The state is replaced only by a
   * whole one: nobody may decide, or append, on a part.
   */
  async function foldAnew(signal: AbortSignal): Promise<SessionState> {
    let anew = emptySession
    for await (const event of log.read(logName(sid), 0, { signal })) anew = applyEvent(anew, event)
    return anew
  }

  async function decide(rule: Rule, signal: AbortSignal): Promise<LogEvent[]> {
    for (let heard = -1; ; heard = state.head) {
      const verdict = rule(state)
      const refused = verdict instanceof AppError
      if (refused || verdict.length === 0) {
        if (heard === state.head && refused) throw verdict
        if (heard === state.head) return []
      } else {
        const appended = await append(verdict, signal)
        if (appended) return appended
      }
      await patiently(() => readOn(signal), signal)
    }
  }

  /** Who has something to say waits for a store that is out of breath, as an append does. */
  async function patiently(task: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await task()
        return
      } catch (error) {
        const tired = isAppError(error, "storage_unavailable") && attempt + 1 < attempts
        if (signal.aborted || !tired) throw error
        await clock.sleep(backoffMs(attempt, 50, 2000), { signal })
      }
    }
  }

  async function append(events: NewEvent[], signal: AbortSignal): Promise<LogEvent[] | undefined> {
    const batch = { batchId: newId("bat"), writer, at: clock.now(), events }
    const opened = events.find((event) => event.type === "session_opened")
    const artifacts = artifactBlobs(sid, opened?.incarnation ?? state.incarnation)
    const placed = await log.append(logName(sid), state.head, batch, { artifacts, signal })
    if (!placed) return undefined
    state = placed.events.reduce(applyEvent, state)
    if (state.head - snapshotHead >= SNAPSHOT_EVERY || events.some((event) => RUN_ENDS.has(event.type))) {
      snapshotHead = state.head
      await writeSnapshot(records, sid, state, signal)
    }
    return placed.events
  }

  await readOn(options.signal)
  return {
    sid,
    get state() {
      return state
    },
    catchUp: ({ signal }) => oneAtATime(() => readOn(signal)),
    decide: (rule, { signal }) => oneAtATime(() => decide(rule, signal)),
  }
}
