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
 * Brings everything outside the session into line with its log: the run's due hint, its launch, and its caller's key.
 * An executor calls it after a run has moved. Nothing depends on that call: every active run has a hint, so the sweep
 * does the same within minutes.
 */
export type Reconcile = (session: Session, runId: string, options: { signal: AbortSignal }) => Promise<void>

/** Lists outside a session that show it to people, such as open questions. */
export interface AskingSessions {
  update(session: Session, runId: string, options: { signal: AbortSignal }): Promise<void>
}

/** Begins what waited for the end of a run, or what the run's agent requested. */
export type AfterRun = (session: Session, runId: string, options: { signal: AbortSignal }) => Promise<void>

export interface ReconcileDeps {
  due: DueList
  keys: RunSecrets
  /** If absent, the sweep lists the session. */
  questionIndex?: AskingSessions
  /** If absent, the sweep stores the deliveries of webhooks. */
  deliveries?: AskingSessions
  /** If absent, the sweep counts the run's usage. */
  ledger?: AskingSessions
  /** If absent, the sweep lists a run that waits for room in its owner's budget. */
  budgetWaits?: AskingSessions
  clock: { now(): number }
  /** If absent, the sweep begins it. */
  afterRun?: AfterRun
  /** If absent, the sweep launches runs that wait for an executor. */
  launcher?: Pick<Launcher, "start">
}

/** Reconciles immediately. For processes that may write outside the session. */
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
    // The sweep launches a run that was handed over: its executor had no time left, or is being stopped.
    if (run.status !== "queued" || run.launchedAt === null) return
    await launcher?.start({ sid, runId, expectedGeneration: run.generation, kind: run.kind }, options)
  }
}

/** Updates what a session shows outside itself: questions, deliveries and usage. */
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

/** Reconciles a run for the runner that serves its session. Ignores runs of other sessions. */
export async function reconcileForRunner(
  deps: ReconcileDeps & SessionLogDeps & { index: RunIndex },
  { sid, runId }: { sid: string; runId: string },
  options: { signal: AbortSignal },
): Promise<void> {
  const ref = await deps.index.get(runId, options)
  if (ref?.sid !== sid) return
  const session = await openSessionLog(deps, sid, options)
  await createReconcile(deps)(session, runId, options)
  // Handles messages of the run's agent to others.
  await deps.afterRun?.(session, runId, options)
}

/**
 * Returns when an active run must be checked. Undefined for a run that waits for a request, which adds a hint itself.
 */
function nextCheckOf({ status, waitsFor }: RunState, now: number): number | undefined {
  if (status === "parked") return waitsFor ? nextCheckAt(waitsFor, now) : undefined
  return status === "running" ? now + LEASE_MS : now
}
