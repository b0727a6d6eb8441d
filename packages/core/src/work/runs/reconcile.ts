import type { DueList } from "../../kernel/due.ts"
import { LEASE_MS } from "../../kernel/lease.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import type { Launcher } from "./launcher.ts"
import type { RunIndex } from "./run-index.ts"
import type { RunSecrets } from "./run-secrets.ts"
import { isEnded, type RunState, runOf } from "./state.ts"
import { nextCheckAt, waitsForBudget } from "./waking.ts"

type Session = Pick<SessionLog, "sid" | "state">

/**
 * Updates everything outside the session to match the session's log: the run's due hint, its launch, and its caller's
 * key. Executors call it after a run's status changes, but only to save time: every active run has a hint, so otherwise
 * the sweep does the same within minutes.
 */
export type Reconcile = (session: Session, runId: string, options: { signal: AbortSignal }) => Promise<void>

/** An index outside the sessions that is derived from their logs, for example the list of open questions. */
export interface AskingSessions {
  update(session: Session, runId: string, options: { signal: AbortSignal }): Promise<void>
}

/** Starts runs that waited for this run to end, and runs that its agent requested. */
export type AfterRun = (session: Session, runId: string, options: { signal: AbortSignal }) => Promise<void>

export interface ReconcileDeps {
  due: DueList
  keys: RunSecrets
  /** If absent, the sweep updates the index of open questions. */
  questionIndex?: AskingSessions
  /** If absent, the sweep stores webhook deliveries. */
  deliveries?: AskingSessions
  /** If absent, the sweep counts the run's usage. */
  ledger?: AskingSessions
  /** If absent, the sweep lists the runs that wait for their owner's budget. */
  budgetWaits?: AskingSessions
  clock: { now(): number }
  /** If absent, the sweep starts the runs that waited for this run to end. */
  afterRun?: AfterRun
  /** If absent, the sweep launches queued runs. */
  launcher?: Pick<Launcher, "start">
}

/** Creates a `Reconcile` function for processes that may write outside the session. */
export function createReconcile(deps: ReconcileDeps): Reconcile {
  const { due, keys, questionIndex, deliveries, ledger, budgetWaits, afterRun, clock, launcher } = deps
  return async (session, runId, options) => {
    const { sid, state } = session
    await updateOutside({ questionIndex, deliveries, ledger }, session, runId, options)
    const run = runOf(state, runId)
    if (!run || isEnded(run)) {
      await keys.erase(runId, options)
      return afterRun?.(session, runId, options)
    }
    const now = clock.now()
    const checkAt = nextCheckOf(run, now)
    if (checkAt !== undefined) await due.add({ kind: "run", sid, run_id: runId }, checkAt, options)
    if (waitsForBudget(run)) await budgetWaits?.update(session, runId, options)
    // The sweep launches a run that was handed over, because this executor has no time left or must stop.
    if (run.status !== "queued" || run.launchedAt === null) return
    await launcher?.start({ sid, runId, expectedGeneration: run.generation, kind: run.kind }, options)
  }
}

/** Updates the indexes that are derived from a session's log: questions, deliveries and usage. */
export async function updateOutside(
  { questionIndex, deliveries, ledger }: Pick<ReconcileDeps, "questionIndex" | "deliveries" | "ledger">,
  session: Session,
  runId: string,
  options: { signal: AbortSignal },
): Promise<void> {
  await questionIndex?.update(session, runId, options)
  await deliveries?.update(session, runId, options)
  await ledger?.update(session, runId, options)
}

/** Reconciles a run on behalf of the runner that serves the run's session. Ignores runs of other sessions. */
export async function reconcileForRunner(
  deps: ReconcileDeps & SessionLogDeps & { index: RunIndex },
  { sid, runId }: { sid: string; runId: string },
  options: { signal: AbortSignal },
): Promise<void> {
  const ref = await deps.index.get(runId, options)
  if (ref?.sid !== sid) return
  const session = await openSessionLog(deps, sid, options)
  await createReconcile(deps)(session, runId, options)
  // The run's agent may have sent messages to other agents.
  await deps.afterRun?.(session, runId, options)
}

/**
 * Returns the time to check an active run again. Undefined if the run waits for a request, because the request adds a
 * hint.
 */
function nextCheckOf({ status, waitsFor }: RunState, now: number): number | undefined {
  if (status === "parked") return waitsFor ? nextCheckAt(waitsFor, now) : undefined
  return status === "running" ? now + LEASE_MS : now
}
