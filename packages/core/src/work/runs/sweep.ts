import type { NewEvent } from "../../events.ts"
import type { DueHint, DueList, DueSubject } from "../../kernel/due.ts"
import { LEASE_MS, readLease } from "../../kernel/lease.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { type CloseLooseEnds, decideEnd } from "./decide-end.ts"
import { findRun, mayBeForgotten, wasCreatedBefore } from "./ended-runs.ts"
import { isForRunner, runKinds } from "./kinds.ts"
import { type Launcher, START_WITHIN_MS } from "./launcher.ts"
import { type AfterRun, type AskingSessions, createReconcile, updateOutside } from "./reconcile.ts"
import { isGivenUp, relaunchRun } from "./rules.ts"
import type { RunIndex } from "./run-index.ts"
import type { RunSecrets } from "./run-secrets.ts"
import { endsRun } from "./schema.ts"
import { activeRuns, isEnded, type RunState } from "./state.ts"
import { wakeRun, wokenBy } from "./waking.ts"

export interface SweepDeps extends SessionLogDeps {
  blobs: Blobs
  due: DueList
  index: RunIndex
  keys: RunSecrets
  launcher: Launcher
  closeLooseEnds: CloseLooseEnds
  afterRun?: AfterRun
  /** Handles a session whose hint is due. */
  sweepSession: (subject: Extract<DueSubject, { kind: "session" }>, options: { signal: AbortSignal }) => Promise<void>
  /** Handles a worktree that may need a runner. */
  sweepWorktree: (subject: Extract<DueSubject, { kind: "worktree" }>, options: { signal: AbortSignal }) => Promise<void>
  /** Handles a session in which messages wait for agents. */
  sweepMessages: (subject: Extract<DueSubject, { kind: "messages" }>, options: { signal: AbortSignal }) => Promise<void>
  /** Handles an unfinished archive. */
  sweepArchive: (subject: Extract<DueSubject, { kind: "archive" }>, options: { signal: AbortSignal }) => Promise<void>
  /** Handles a webhook message that hasn't been delivered yet. */
  sweepDelivery?: (
    subject: Extract<DueSubject, { kind: "delivery" }>,
    options: { signal: AbortSignal },
  ) => Promise<void>
  /** Handles a copy of files that was made for publishing. */
  sweepApp?: (subject: Extract<DueSubject, { kind: "app" }>, options: { signal: AbortSignal }) => Promise<void>
  questionIndex?: AskingSessions
  deliveries?: AskingSessions
  ledger?: AskingSessions
  budgetWaits?: AskingSessions
  /** Removes data that is only needed while the run is active. */
  forgetRun: (sid: string, runId: string, options: { signal: AbortSignal }) => Promise<void>
  /** Receives the error if a hint can't be processed. The hint remains due, and the next sweep retries it. */
  report: (error: unknown) => void
}

export interface SweepOptions {
  signal: AbortSignal
  /**
   * Processes every hint, even if it isn't due, and doesn't wait for earlier launches. Used at the start of a process
   * that knows its predecessor is gone.
   */
  everything?: boolean
  /**
   * Processes every hint, even if it isn't due. Used by a process whose clock was set back, because hints may then be
   * due far in the future.
   */
  allHints?: boolean
  /** The end of a sentence that begins with "its executor" and says what ended it. Undefined if unknown. */
  executorEnd?: string | undefined
}

/** Time after which the index entry of a run that was never created is removed. */
const NEVER_CREATED_MS = 10 * 60_000

/**
 * Processes due hints according to the log: relaunches or ends runs, and removes hints that are no longer needed.
 * Several sweeps may run concurrently. They are necessary for progress, but not for correctness.
 */
export async function sweep(deps: SweepDeps, options: SweepOptions): Promise<void> {
  const startedAt = deps.clock.now()
  const isForAll = options.everything || options.allHints
  for await (const hint of isForAll ? await allHints(deps.due, options) : deps.due.dueBefore(startedAt, options)) {
    try {
      await sweepHint({ ...deps, startedAt }, hint, options)
    } catch (error) {
      options.signal.throwIfAborted()
      deps.report(error)
    }
  }
}

/** Reads all hints before returning any. Otherwise, the sweep would also process the hints that it adds itself. */
function allHints(due: DueList, options: SweepOptions): Promise<DueHint[]> {
  return Array.fromAsync(due.dueBefore(Number.MAX_SAFE_INTEGER / 10, options))
}

/** Sweeps all active runs of a session whose executor is known to be gone. */
export async function sweepRunsOf(
  deps: SweepDeps,
  sid: string,
  options: Pick<SweepOptions, "signal" | "executorEnd">,
): Promise<void> {
  const startedAt = deps.clock.now()
  const { state } = await openSessionLog(deps, sid, options)
  for (const { runId } of activeRuns(state)) {
    const hint = await deps.due.add({ kind: "run", sid, run_id: runId }, startedAt, options)
    await sweepHint({ ...deps, startedAt }, hint, { ...options, everything: true })
  }
}

interface OneSweep extends SweepDeps {
  startedAt: number
}

async function sweepHint(deps: OneSweep, hint: DueHint, options: SweepOptions): Promise<void> {
  const { subject } = hint
  // Until the hint is due, the copy may still be needed, because it is being published or was replaced only recently.
  if (subject.kind === "app" && hint.at > deps.startedAt && !options.everything) return
  if (subject.kind === "session") await deps.sweepSession(subject, options)
  else if (subject.kind === "messages") await deps.sweepMessages(subject, options)
  else if (subject.kind === "archive") await deps.sweepArchive(subject, options)
  else if (subject.kind === "worktree") await deps.sweepWorktree(subject, options)
  else if (subject.kind === "delivery") await deps.sweepDelivery?.(subject, options)
  else if (subject.kind === "app") await deps.sweepApp?.(subject, options)
  else if ((await sweepRun(deps, hint, subject, options)) === "keep") return
  await deps.due.remove(hint, options)
}

async function sweepRun(
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
    await Promise.all([createReconcile(deps)(session, runId, options), deps.forgetRun(sid, runId, options)])
    await handOnHint(deps, sid, run, options)
    return "done"
  }
  if (run.status === "parked") {
    await session.decide(wakeRun(runId, now), options)
    await createReconcile(deps)(session, runId, options)
    await deps.afterRun?.(session, runId, options)
    await handOnHint(deps, sid, run, options)
    return "done"
  }

  // Deployed runners can't update the indexes themselves, because they can't write outside their session.
  await updateOutside(deps, session, runId, options)
  await deps.afterRun?.(session, runId, options)
  if (run.status === "queued" && isForRunner(run) && (await deps.launcher.isHeld?.(sid, options))) {
    await deps.due.add(hint.subject, now + (deps.launcher.startWithinMs?.runner ?? START_WITHIN_MS), options)
    return "done"
  }
  const waitUntil =
    run.status === "queued" ? launchDeadline(deps, run, options) : await presumedAliveUntil(deps, sid, run, options)
  // Compare with the start of the sweep: if this process has been paused since then, so were the executors that run in
  // it.
  if (waitUntil > deps.startedAt) {
    if (waitUntil === hint.at) return "keep"
    await deps.due.add(hint.subject, waitUntil, options)
    return "done"
  }
  await deps.due.add(hint.subject, now + START_WITHIN_MS, options)
  const whyQueued = options.everything
    ? "the process that should have executed it ended first"
    : "it wasn't started in time"
  const whyRunning = `its executor ${options.executorEnd ?? "stopped responding"}`
  const reason = run.status === "running" ? whyRunning : whyQueued
  const rule = (ends: NewEvent[]) => relaunchRun(run, reason, now, ends)
  const appended = isGivenUp(run)
    ? await decideEnd(deps.closeLooseEnds, session, run, rule, options)
    : await session.decide(rule([]), options)
  const again = appended.some((event) => event.type === "run_relaunched")
  if (again) await deps.launcher.start({ sid, runId, expectedGeneration: run.generation, kind: run.kind }, options)
  const reconcile = createReconcile(deps)
  const moved = appended.some(endsRun) ? [runId, ...wokenBy(appended)] : wokenBy(appended)
  for (const one of moved) await reconcile(session, one, options)
  return "done"
}

/**
 * Sweeps the run's worktree too, because the runner may still have to save the worktree's files after a run ends or
 * parks.
 */
async function handOnHint(
  { sweepWorktree }: OneSweep,
  sid: string,
  run: RunState | undefined,
  options: SweepOptions,
): Promise<void> {
  if (!run || isForRunner(run)) await sweepWorktree({ kind: "worktree", sid }, options)
}

/** Removes the index entry of a run that was never created because it was refused or the process died. */
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

/**
 * Returns the time until which to wait for a launch. A launch during this sweep always gets its full time. A launch
 * whose time is in the future, because the clock was set back since, gets no time.
 */
function launchDeadline({ startedAt, launcher }: OneSweep, run: RunState, { everything }: SweepOptions): number {
  if (run.launchedAt === null) return 0
  const launchedAt = Date.parse(run.launchedAt)
  const startMs = launcher.startWithinMs?.[runKinds[run.kind].executor] ?? START_WITHIN_MS
  if (launchedAt > startedAt + startMs) return 0
  return everything && launchedAt < startedAt ? 0 : launchedAt + startMs
}

async function presumedAliveUntil(
  deps: SweepDeps,
  sid: string,
  run: RunState,
  options: { signal: AbortSignal },
): Promise<number> {
  if (run.executor !== null && deps.launcher.isGone?.(run.executor)) return 0
  const now = deps.clock.now()
  const lease = await readLease(deps.records, sid, run.runId, { now, signal: options.signal })
  if (lease?.generation === run.generation) {
    const isPaused = lease.until <= now && deps.launcher.isPaused?.(lease.executor)
    return isPaused ? now + LEASE_MS : lease.until
  }
  // An executor that has just claimed the run has no lease yet, so wait as long as a lease lasts.
  const claimedAt = Date.parse(run.claimedAt ?? run.createdAt)
  return claimedAt > now + LEASE_MS ? 0 : claimedAt + LEASE_MS
}
