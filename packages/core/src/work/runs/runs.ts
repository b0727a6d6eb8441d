import type { NewEvent } from "../../events.ts"
import { openSessionLog, type Rule, type SessionLog } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { RunUsage } from "../usage/run-usage.ts"
import { type CloseLooseEnds, decideEnd } from "./decide-end.ts"
import { findRun, requireRun, runNotFound, wasCreatedBefore } from "./ended-runs.ts"
import { isForAnother } from "./kinds.ts"
import { START_WITHIN_MS } from "./launcher.ts"
import { createReconcile, type ReconcileDeps } from "./reconcile.ts"
import { cancelRun, resumeRun, runEnded } from "./rules.ts"
import type { RunRef } from "./run-index.ts"
import { createRunStarts, type RunStarts, type StartDeps } from "./run-starts.ts"
import { isEnded, type RunState, runOf } from "./state.ts"
import { wokenBy } from "./waking.ts"

export interface RunsDeps extends StartDeps, Omit<ReconcileDeps, "clock" | "launcher"> {
  blobs: Blobs
  report: (error: unknown) => void
  closeLooseEnds: CloseLooseEnds
  /** Budgets to check before a parked run resumes. */
  budgets?: RequireOwnerBudget
}

/** Throws `budget_reached` if the owner's budget is used up. */
export interface RequireOwnerBudget {
  require(owner: string, options: { signal: AbortSignal }): Promise<void>
}

/** A run, its index entry, and the head of its session's log. */
export interface LocatedRun {
  ref: RunRef
  run: RunState
  /** Undefined if no usage was recorded, or if the usage was dropped because many other runs have ended since. */
  usage: RunUsage | undefined
  head: number
}

export interface CancelOptions {
  signal: AbortSignal
  /** Condition to check when the cancellation is decided. If it returns false, the run isn't cancelled. */
  onlyIf?: (state: SessionState) => boolean
}

export interface Runs extends RunStarts {
  /** Returns the owner's run. Throws `run_not_found` if the run doesn't exist or has another owner. */
  get(owner: string, runId: string, options: { signal: AbortSignal }): Promise<LocatedRun>
  /**
   * Returns the run that an earlier request with the same ID started. Undefined if no request has started it. Throws
   * `run_not_found` if the run was deleted with its session, because IDs are never reused.
   */
  findRepeated(owner: string, runId: string, options: { signal: AbortSignal }): Promise<LocatedRun | undefined>
  /**
   * Asks the run to stop, and also the check or shell command that it waits for. Idempotent. Returns the run after the
   * request.
   */
  cancel(owner: string, runId: string, reason: string, options: CancelOptions): Promise<RunState>
  /**
   * Wakes a parked run. Throws `run_ended` if the run has ended, or `budget_reached` if the owner's budget is used up.
   */
  resume(owner: string, runId: string, options: { signal: AbortSignal }): Promise<RunState>
  list(
    owner: string,
    options: { before?: string; limit: number; signal: AbortSignal },
  ): AsyncGenerator<Omit<LocatedRun, "head">>
}

export function createRuns(deps: RunsDeps): Runs {
  const { clock, records, due, index, launcher } = deps

  async function find(owner: string, runId: string, options: { signal: AbortSignal }) {
    const ref = await index.get(runId, options)
    if (ref?.owner !== owner) throw runNotFound(runId)
    return { ref, session: await openSessionLog(deps, ref.sid, options) }
  }

  async function cancel(owner: string, runId: string, reason: string, options: CancelOptions): Promise<RunState> {
    const { session } = await find(owner, runId, options)
    const found = await requireRun(records, session, runId, options)
    if (isEnded(found)) return found
    // No executor watches a parked run. If this process dies after appending the cancellation, the sweep does the rest.
    if (found.status === "parked") {
      await due.add({ kind: "run", sid: session.sid, run_id: runId }, clock.now() + START_WITHIN_MS, options)
    }
    const { onlyIf = () => true } = options
    const rule = (ends: NewEvent[]): Rule => {
      return (state) => (onlyIf(state) ? cancelRun(runId, reason, clock.now(), ends)(state) : [])
    }
    // If the run is running, its executor appends the closing events.
    const decided =
      found.status === "running"
        ? await session.decide(rule([]), options)
        : await decideEnd(deps.closeLooseEnds, session, { ...found, cancelReason: reason }, rule, options)
    const reconcile = createReconcile(deps)
    for (const woken of wokenBy(decided)) await reconcile(session, woken, options)
    const run = await requireRun(records, session, runId, options)
    if (run.status === "cancelled") await reconcile(session, runId, options)
    const awaited = found.waitsFor?.run && runOf(session.state, found.waitsFor.run)
    if (awaited && isForAnother(awaited)) await cancel(owner, awaited.runId, reason, options)
    return run
  }

  return {
    ...createRunStarts(deps),
    async get(owner, runId, options) {
      const { ref, session } = await find(owner, runId, options)
      const run = await requireRun(records, session, runId, options)
      return { ref, run, usage: session.state.usage.runs[runId], head: session.state.head }
    },
    async findRepeated(owner, runId, options) {
      const ref = await index.get(runId, options)
      if (ref?.owner !== owner) return undefined
      const { sid, state } = await openSessionLog(deps, ref.sid, options)
      const run = await findRun(records, { sid, state }, runId, options)
      if (run) return { ref, run, usage: state.usage.runs[runId], head: state.head }
      if (await wasCreatedBefore(deps.log, { sid, state }, runId, options)) throw runNotFound(runId)
      return undefined
    },
    cancel,
    async resume(owner, runId, options) {
      const { ref, session } = await find(owner, runId, options)
      const found = await requireRun(records, session, runId, options)
      if (isEnded(found)) throw runEnded(found)
      await deps.budgets?.require(owner, options)
      await due.add({ kind: "run", sid: ref.sid, run_id: runId }, clock.now() + START_WITHIN_MS, options)
      await session.decide(resumeRun(runId), options)
      const run = await requireRun(records, session, runId, options)
      if (run.status === "queued") {
        const { generation: expectedGeneration, kind } = run
        await launcher.start({ sid: ref.sid, runId, expectedGeneration, kind }, options)
      }
      return run
    },
    async *list(owner, { before, limit, signal }) {
      let left = limit
      const sessions = new Map<string, SessionLog>()
      for await (const ref of index.ofOwner(owner, { before, signal })) {
        if (left === 0) return
        const session = sessions.get(ref.sid) ?? (await openSessionLog(deps, ref.sid, { signal }))
        const { sid, state } = session
        sessions.set(sid, session)
        const run = isLive(state) && (await findRun(records, { sid, state }, ref.run_id, { signal }))
        if (!run) continue
        left--
        yield { ref, run, usage: state.usage.runs[ref.run_id] }
      }
    },
  }
}
