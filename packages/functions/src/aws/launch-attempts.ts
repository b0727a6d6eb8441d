/** Delays between attempts to start a task. The launch fails after the last attempt. */
const RETRY_DELAYS_MS = [2000, 10_000, 30_000, 60_000, 120_000]
/** Time after which no attempt starts. This worker must still be running when the attempt ends. */
const LAST_ATTEMPT_AFTER_MS = 10 * 60_000

/** State of a launch after the attempts so far. */
export interface LaunchState {
  /** Number of attempts that failed. */
  failures: number
  /** Executor known to be dead. */
  dead: string | null
  /** Last task started by this launch. */
  ownTask?: string
}

/** Next attempt: either wait for the session's existing runner, or start a new one. */
export type LaunchAttempt =
  | { type: "existing"; executor: string; number: number }
  | { type: "new"; generation: number; number: number }

/** Reason for a failed attempt. If there is no phase, retrying is pointless. */
export interface LaunchFailure {
  reason: string
  phase?: "waiting" | "lost"
}

/** Task and failure of an attempt, if there are any. */
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
 * Returns the launch state and the next step after an attempt. Losing an existing runner doesn't count as a failure: a
 * new runner is started immediately.
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
