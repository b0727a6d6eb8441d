/** Delays between attempts to start a task. After the last attempt the launch fails. */
const RETRY_DELAYS_MS = [2000, 10_000, 30_000, 60_000, 120_000]
/** Latest start of an attempt, so that the same worker sees its end. */
const LAST_ATTEMPT_AFTER_MS = 10 * 60_000

/** State of one launch after its previous attempts. */
export interface LaunchState {
  /** Number of failed attempts. */
  failures: number
  /** Executor that is known to be dead. */
  dead: string | null
  /** Last task that this launch started. */
  ownTask?: string
}

/** Next attempt: waiting for the session's existing runner, or starting a new one. */
export type LaunchAttempt =
  | { type: "existing"; executor: string; number: number }
  | { type: "new"; generation: number; number: number }

/** Failure of an attempt. Without a phase, a retry is useless. */
export interface LaunchFailure {
  reason: string
  phase?: "waiting" | "lost"
}

/** Task and failure of an attempt, if any. */
export interface AttemptResult {
  task?: string
  failure?: LaunchFailure
}

export type LaunchStep =
  | { type: "continue" }
  | { type: "give_up"; reason: string }
  | { type: "retry"; phase: "waiting" | "lost"; reason: string; attempt: number; delayMs: number }

export function nextAttempt(
  { dead, failures }: LaunchState,
  runner: { executor: string | null; generation: number },
): LaunchAttempt {
  const number = failures + 1
  if (runner.executor !== null && runner.executor !== dead)
    return { type: "existing", executor: runner.executor, number }
  return { type: "new", generation: runner.generation + 1, number }
}

/**
 * Returns the launch's state and next step after an attempt. The loss of an existing runner is no failure of the
 * launch: a new runner starts at once.
 */
export function afterAttempt(
  before: LaunchState,
  attempt: LaunchAttempt,
  { task, failure }: AttemptResult,
  elapsedMs: number,
): { state: LaunchState; step: LaunchStep } {
  const state = attempt.type === "new" && task !== undefined ? { ...before, ownTask: task } : before
  if (!failure) return { state, step: { type: "continue" } }
  if (attempt.type === "existing") return { state: { ...state, dead: attempt.executor }, step: { type: "continue" } }
  const { reason, phase } = failure
  const delayMs = RETRY_DELAYS_MS[state.failures]
  if (delayMs === undefined || elapsedMs > LAST_ATTEMPT_AFTER_MS || phase === undefined) {
    return { state, step: { type: "give_up", reason } }
  }
  const failures = state.failures + 1
  return { state: { ...state, failures }, step: { type: "retry", phase, reason, attempt: failures, delayMs } }
}
