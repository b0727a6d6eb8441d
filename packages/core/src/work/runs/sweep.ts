import type { NewEvent } from "../../events.ts"
import type { DueHint, DueList, DueSubject } from "../../kernel/due.ts"
import { readLease } from "../../kernel/lease.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { type CloseLooseEnds, decideEnd } from "./decide-end.ts"
import { findRun, mayBeForgotten } from "./ended-runs.ts"
import { runKinds } from "./kinds.ts"
import type { Launcher } from "./launcher.ts"
import { isGivenUp, relaunchRun } from "./rules.ts"
import type { RunIndex } from "./run-index.ts"
import type { RunKeys } from "./run-secrets.ts"
import { START_WITHIN_MS, wasCreatedBefore } from "./runs.ts"
import { activeRuns, isEnded, type RunState } from "./state.ts"
import { launchWoken, nextLook, wakeRun } from "./waking.ts"

export interface SweepDeps extends SessionLogDeps {
  blobs: Blobs
  due: DueList
  index: RunIndex
  keys: RunKeys
  launcher: Launcher
  closeLooseEnds: CloseLooseEnds
  /** Looks after a session whose hint is due. */
  sweepSession: (subject: Extract<DueSubject, { kind: "session" }>, options: { signal: AbortSignal }) => Promise<void>
  /** Looks after a worktree for which a runner has something to do. */
  sweepWorktree: (subject: Extract<DueSubject, { kind: "worktree" }>, options: { signal: AbortSignal }) => Promise<void>
  /** Looks after an archive that is being made. */
  sweepArchive: (subject: Extract<DueSubject, { kind: "archive" }>, options: { signal: AbortSignal }) => Promise<void>
  /** Forgets what only a living run needs. */
  forgetRun: (sid: string, runId: string, options: { signal: AbortSignal }) => Promise<void>
  /** Hears of hints that could not be dealt with: they stay, and are due again next time. */
  report: (error: unknown) => void
}

export interface SweepOptions {
  signal: AbortSignal
  /**
   * Looks at every hint, due or not, and waits for no launch: for a process that starts and knows that whoever worked
   * here before it is gone.
   */
  everything?: boolean
}

/** A run that was announced and never created is forgotten after that. */
const NEVER_CREATED_MS = 10 * 60_000

/**
 * Takes what is due and does what the log says: starts a run again, ends it, or forgets the hint. Any number of sweeps may
 * run at once. Nothing here is needed for anything to be right, only for it to go on.
 */
export async function sweep(deps: SweepDeps, options: SweepOptions): Promise<void> {
  const begunAt = deps.clock.now()
  for await (const hint of options.everything ? await allHints(deps.due, options) : deps.due.upTo(begunAt, options)) {
    try {
      await settle({ ...deps, begunAt }, hint, options)
    } catch (error) {
      options.signal.throwIfAborted()
      deps.report(error)
    }
  }
}

/** Read before the first of them is settled: what is settled may leave a hint of a later time, which would be met again. */
function allHints(due: DueList, options: SweepOptions): Promise<DueHint[]> {
  return Array.fromAsync(due.upTo(Number.MAX_SAFE_INTEGER / 10, options))
}

/** Looks at once at every run of a session whose executor is known to be gone. */
export async function sweepRunsOf(deps: SweepDeps, sid: string, options: { signal: AbortSignal }): Promise<void> {
  const begunAt = deps.clock.now()
  const { state } = await openSessionLog(deps, sid, options)
  for (const { runId } of activeRuns(state)) {
    const hint = await deps.due.add({ kind: "run", sid, run_id: runId }, begunAt, options)
    await settle({ ...deps, begunAt }, hint, { ...options, everything: true })
  }
}

interface OneSweep extends SweepDeps {
  begunAt: number
}

async function settle(deps: OneSweep, hint: DueHint, options: SweepOptions): Promise<void> {
  const { subject } = hint
  if (subject.kind === "session") await deps.sweepSession(subject, options)
  else if (subject.kind === "archive") await deps.sweepArchive(subject, options)
  else if (subject.kind === "worktree") await deps.sweepWorktree(subject, options)
  else if ((await settleRun(deps, hint, subject, options)) === "keep") return
  await deps.due.remove(hint, options)
}

async function settleRun(
  deps: OneSweep,
  hint: DueHint,
  { sid, run_id: runId }: Extract<DueSubject, { kind: "run" }>,
  options: SweepOptions,
): Promise<"done" | "keep"> {
  const now = deps.clock.now()
  const session = await openSessionLog(deps, sid, options)
  const run = session.state.runs.byId[runId]
  const mayYetBeCreated = !run && !mayBeForgotten(session.state, runId) && now - hint.at < NEVER_CREATED_MS
  if (mayYetBeCreated) return "keep"
  if (!run) await forgetUnused(deps, session, { runId, before: now - NEVER_CREATED_MS }, options)
  if (!run || isEnded(run)) {
    await Promise.all([deps.keys.erase(runId, options), deps.forgetRun(sid, runId, options)])
    return "done"
  }
  if (run.status === "parked") {
    await settleParked(deps, session, run, options)
    return "done"
  }

  const waitUntil =
    run.status === "queued" ? launchPatience(deps, run, options) : await presumedAliveUntil(deps, hint, run, options)
  if (waitUntil > now) {
    if (waitUntil === hint.at) return "keep"
    await deps.due.add(hint.subject, waitUntil, options)
    return "done"
  }
  await deps.due.add(hint.subject, now + START_WITHIN_MS, options)
  const reason = run.status === "running" ? "its executor was presumed dead" : "nobody had started it in time"
  const rule = (ends: NewEvent[]) => relaunchRun(run, reason, now, ends)
  const said = isGivenUp(run)
    ? await decideEnd(deps.closeLooseEnds, session, run, rule, options)
    : await session.decide(rule([]), options)
  const again = said.some((event) => event.type === "run_relaunched")
  if (again) await deps.launcher.start({ sid, runId, expectedGeneration: run.generation, kind: run.kind }, options)
  await launchWoken(deps, session, said, options)
  return "done"
}

/** Wakes a run whose time has come, or leaves a hint of when to look again. */
async function settleParked(
  deps: OneSweep,
  session: SessionLog,
  { runId, waitsFor }: RunState,
  options: SweepOptions,
): Promise<void> {
  const now = deps.clock.now()
  const look = waitsFor && nextLook(waitsFor, now)
  if (look && look > now) await deps.due.add({ kind: "run", sid: session.sid, run_id: runId }, look, options)
  await launchWoken(deps, session, await session.decide(wakeRun(runId, now), options), options)
}

/** Forgets the index entry of a run that was announced and then refused, or by a process that died. */
async function forgetUnused(
  { index, records, log }: OneSweep,
  session: SessionLog,
  { runId, before }: { runId: string; before: number },
  options: SweepOptions,
): Promise<void> {
  if (await findRun(records, session, runId, options)) return
  if (await wasCreatedBefore(log, session, runId, options)) return
  await index.removeUnused(runId, before, options)
}

/** A launch of this sweep's own, for another hint of the same run, is always waited for. */
function launchPatience({ begunAt, launcher }: OneSweep, run: RunState, { everything }: SweepOptions): number {
  if (run.launchedAt === null) return 0
  const launchedAt = Date.parse(run.launchedAt)
  const startMs = launcher.startWithinMs?.[runKinds[run.kind].executor] ?? START_WITHIN_MS
  return everything && launchedAt < begunAt ? 0 : launchedAt + startMs
}

async function presumedAliveUntil(
  deps: SweepDeps,
  hint: DueHint,
  run: RunState,
  options: { signal: AbortSignal },
): Promise<number> {
  if (run.executor !== null && deps.launcher.isGone?.(run.executor)) return 0
  const lease = await readLease(deps.records, hint.subject.sid, run.runId, options)
  // An executor that has just claimed the run has no lease yet, but left a hint of when to presume it dead.
  return lease?.generation === run.generation ? lease.until : hint.at
}
