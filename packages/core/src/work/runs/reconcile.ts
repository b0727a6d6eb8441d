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
 * Brings everything about a run that lies outside its session in line with the session's log: its due hint, its launch, and its
 * caller's key. An executor calls it for a run that has moved. Nothing depends on that: the sweep does the same within minutes,
 * for every active run has a hint as long as it is active.
 */
export type Reconcile = (session: Session, runId: string, options: { signal: AbortSignal }) => Promise<void>

/** The lists that show a session to people, such as those in which they are asked something. */
export interface AskingSessions {
  update(session: Session, runId: string, options: { signal: AbortSignal }): Promise<void>
}

/** Begins what waited for the end of a run of the session, or was said by the agent of one. */
export type AfterRun = (session: Session, runId: string, options: { signal: AbortSignal }) => Promise<void>

export interface ReconcileDeps {
  due: DueList
  keys: RunSecrets
  /** Without it, the sweep lists the session. */
  questionIndex?: AskingSessions
  /** Without it, the sweep stores what webhooks are to be told. */
  deliveries?: AskingSessions
  /** Without it, the sweep counts what the run used. */
  ledger?: AskingSessions
  /** Without it, the sweep lists a run that waits for room in its owner's budget. */
  budgetWaits?: AskingSessions
  clock: { now(): number }
  /** Without it, the sweep begins it. */
  afterRun?: AfterRun
  /** Without it, the sweep launches what waits for an executor. */
  launcher?: Pick<Launcher, "start">
}

/** Reconciles here and now. For processes that may write outside the session. */
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
    // One that was handed over is the sweep's to launch: its executor had no time left, or is being stopped.
    if (run.status !== "queued" || run.launchedAt === null) return
    await launcher?.start({ sid, runId, expectedGeneration: run.generation, kind: run.kind }, options)
  }
}

/** Brings in line what people are shown and told of a run outside of its session. */
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

/** Reconciles a run at the request of the runner that serves a session: of another session's runs it may ask nothing. */
export async function reconcileForRunner(
  deps: ReconcileDeps & SessionLogDeps & { index: RunIndex },
  { sid, runId }: { sid: string; runId: string },
  options: { signal: AbortSignal },
): Promise<void> {
  const ref = await deps.index.get(runId, options)
  if (ref?.sid !== sid) return
  const session = await openSessionLog(deps, sid, options)
  await createReconcile(deps)(session, runId, options)
  // What its agent said to others.
  await deps.afterRun?.(session, runId, options)
}

/** When an active run must be looked at; undefined for one that waits for a request, which adds a hint itself. */
function nextCheckOf({ status, waitsFor }: RunState, now: number): number | undefined {
  if (status === "parked") return waitsFor ? nextCheckAt(waitsFor, now) : undefined
  return status === "running" ? now + LEASE_MS : now
}
