/** The waits between the attempts to start a task; after the last one, the launch is given up. */
const RETRY_DELAYS_MS = [2000, 10_000, 30_000, 60_000, 120_000]
/** No attempt begins after this long, so that a worker sees the end of the last one. */
const LAST_ATTEMPT_AFTER_MS = 10 * 60_000

/** The state of one launch: its attempts so far. */
export interface LaunchState {
  /** The number of attempts that failed. */
  failures: number
  /** The executor that is known to be dead. */
  dead: string | null
  /** The last task that this launch started. */
  ownTask?: string
}

/** The next attempt: to wait for the runner that the session has, or to start another one. */
export type LaunchAttempt =
  | { type: "existing"; executor: string; number: number }
  | { type: "new"; generation: number; number: number }

/** The failure of an attempt. Without a phase, a retry is of no use. */
export interface LaunchFailure {
  reason: string
  phase?: "waiting" | "lost"
}

/** An attempt's task and failure, as far as there are any. */
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

/** The launch after an attempt. The loss of an existing runner is no failure of the launch: another one is started at once. */
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
