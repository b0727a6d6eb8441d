import { AppError } from "../../errors.ts"
import { endedRunsPartition, logName } from "../../kernel/keys.ts"
import { isLive } from "../../kernel/state.ts"
import type { Log } from "../../log/log.ts"
import type { SessionState } from "../../state.ts"
import type { Json, Records } from "../../storage/records.ts"
import { type RunState, runOf } from "./state.ts"

interface SessionRuns {
  sid: string
  state: SessionState
}

/** Stores runs before they are dropped from the state. Their records are sorted by run ID, and therefore by time. */
export async function storeEndedRuns(
  records: Records,
  sid: string,
  runs: RunState[],
  options: { signal: AbortSignal },
): Promise<void> {
  for (const run of runs) {
    await records.put(keyOf(sid, run.runId), { value: run as unknown as { [key: string]: Json } }, options)
  }
}

/** Returns the session's run with this ID, even if the run ended long ago. */
export async function findRun(
  records: Records,
  { sid, state }: SessionRuns,
  runId: string,
  options: { signal: AbortSignal },
): Promise<RunState | undefined> {
  const run = runOf(state, runId)
  if (run || !mayBeForgotten(state, runId)) return run
  const record = await records.get(keyOf(sid, runId), options)
  return record && ofThisIncarnation(record.value as unknown as RunState, state)
}

/** Returns the same run as `findRun`. Throws `run_not_found` if the run doesn't exist or the session was deleted. */
export async function requireRun(
  records: Records,
  { sid, state }: SessionRuns,
  runId: string,
  options: { signal: AbortSignal },
): Promise<RunState> {
  const run = isLive(state) && (await findRun(records, { sid, state }, runId, options))
  if (!run) throw runNotFound(runId)
  return run
}

export function runNotFound(runId: string): AppError {
  return new AppError("run_not_found", "There is no such run.", { run_id: runId })
}

/** Returns true if a run with this ID may have been dropped from the state. */
export function mayBeForgotten({ runs: { forgotten } }: SessionState, runId: string): boolean {
  return forgotten.upTo !== null && runId <= forgotten.upTo
}

/** Yields the runs that were dropped from the state, newest first. */
export async function* forgottenRuns(
  records: Records,
  { sid, state }: SessionRuns,
  options: { signal: AbortSignal },
): AsyncGenerator<RunState> {
  if (state.runs.forgotten.upTo === null) return
  const newest = { to: state.runs.forgotten.upTo, reverse: true, ...options }
  for await (const { value } of records.range(endedRunsPartition(sid), newest)) {
    const run = ofThisIncarnation(value as unknown as RunState, state)
    if (run && !runOf(state, run.runId)) yield run
  }
}

/**
 * Returns true if the run belonged to an earlier incarnation of the session. Must only be called if the current
 * incarnation doesn't have the run.
 */
export async function wasCreatedBefore(
  log: Log,
  { sid, state: { session } }: SessionRuns,
  runId: string,
  options: { signal: AbortSignal },
): Promise<boolean> {
  const end = session.since?.seq ?? 0
  for await (const event of log.read(logName(sid), 0, options)) {
    if (event.seq >= end) return false
    if (event.type === "run_created" && event.run_id === runId) return true
  }
  return false
}

/**
 * Removes the runs of the session's earlier incarnations, which were created before the event with the `seq` `begin`.
 */
export async function removeEndedRuns(
  records: Records,
  sid: string,
  begin: number,
  options: { signal?: AbortSignal },
): Promise<void> {
  for await (const { key, value } of records.range(endedRunsPartition(sid), options)) {
    if (Number(value.firstSeq) < begin) await records.remove(key, options)
  }
}

/**
 * Returns the run. Undefined if it belongs to an earlier incarnation of the session, because the records of that
 * incarnation will be removed.
 */
function ofThisIncarnation(run: RunState, { session }: SessionState): RunState | undefined {
  return run.firstSeq >= (session.since?.seq ?? 1) ? run : undefined
}

function keyOf(sid: string, runId: string) {
  return { partition: endedRunsPartition(sid), sort: runId }
}
