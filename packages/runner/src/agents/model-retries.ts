import type { Outcome, Problem, ProblemKind } from "@switchyard/core/agents/clis/schema"
import { problemOf } from "@switchyard/core/agents/hand-off/limit-state"
import type { Clock } from "@switchyard/core/time"
import type { TurnEnd } from "./turn-state.ts"

/** Problems of model APIs that are often over within seconds. Programs differ in how long they retry on their own. */
const BRIEF: ReadonlySet<ProblemKind> = new Set(["network", "timeout", "overloaded", "rate_limited"])

const FIRST_DELAY_MS = 2000
const LONGEST_DELAY_MS = 30_000
/**
 * Maximum number of retries per task. Without a maximum, a task would never end if its model fails after every step of
 * the program.
 */
const MAX_RETRIES = 12

/** A turn that is repeated because its model failed. */
export interface ModelRetry {
  problem: Problem
  delayMs: number
}

export interface ModelRetries {
  /**
   * Returns how to retry after a turn. Returns undefined if the turn's model didn't fail, if no retries are left, or if
   * the next attempt would start `retryMs` or more after the model's first failure.
   */
  after(end: Pick<TurnEnd, "outcome" | "failingSince" | "hasWorked">): ModelRetry | undefined
}

/**
 * Retries after model failures, for programs of any kind. The full retry time is available again once an agent has done
 * some work.
 */
export function createModelRetries(clock: Pick<Clock, "now" | "monotonic">, retryMs: number): ModelRetries {
  let failingSince: number | undefined
  let delayMs = FIRST_DELAY_MS
  let left = MAX_RETRIES
  return {
    after(end) {
      const problem = briefProblem(end.outcome)
      if (!problem || end.hasWorked) {
        failingSince = undefined
        delayMs = FIRST_DELAY_MS
      }
      if (!problem || left === 0) return undefined
      left--
      failingSince ??= end.failingSince ?? clock.monotonic()
      const waitMs = Math.max(delayMs, Date.parse(problem.resets_at ?? "") - clock.now() || 0)
      delayMs = Math.min(LONGEST_DELAY_MS, 2 * delayMs)
      return clock.monotonic() + waitMs - failingSince < retryMs ? { problem, delayMs: waitMs } : undefined
    },
  }
}

function briefProblem(outcome: Outcome): Problem | undefined {
  const problem = problemOf(outcome)
  return problem && BRIEF.has(problem.kind) ? problem : undefined
}
