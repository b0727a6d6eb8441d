import { OwnerBudgetAnswer, type RunnerTicket } from "@switchyard/core/agents/runner/credentials-schema"
import { backoffMs, retry } from "@switchyard/core/concurrency/retry"
import type { OwnerBudget } from "@switchyard/core/people/budget/owner-budget"
import type { Clock } from "@switchyard/core/time"
import type { AskCredentials } from "./session-credentials.ts"

/**
 * Cache lifetime of an answer about an owner's budget. Without the cache, each check of the budget would invoke a
 * function, though most owners have no budget.
 */
const BELIEVED_MS = 60_000

interface Deps {
  ask: AskCredentials
  clock: Clock
  executor: string
  ticket: () => RunnerTicket
}

/** Looks up the owner's budget for a runner that can read only its own session. Retries failed requests. */
export function createAskedBudget({ ask, clock, executor, ticket }: Deps): OwnerBudget {
  const known = new Map<string, { isSet: boolean; at: number }>()

  async function askFor(runId: string, { signal }: { signal: AbortSignal }) {
    const request = () => ask({ ticket: ticket(), executor, budget_of: runId })
    const delayMs = (_error: unknown, attempt: number) => (signal.aborted ? undefined : backoffMs(attempt, 200, 5000))
    const { budget } = OwnerBudgetAnswer.parse(await retry(request, { delayMs, clock, signal }))
    if (!budget)
      throw new Error("The owner's budget isn't available to this runner, because another one is serving its session.")
    known.set(runId, { isSet: budget.is_set, at: clock.monotonic() })
    return budget
  }

  function believed(runId: string): boolean | undefined {
    const last = known.get(runId)
    return last && clock.monotonic() - last.at < BELIEVED_MS ? last.isSet : undefined
  }

  return {
    isSet: async (runId, options) => believed(runId) ?? (await askFor(runId, options)).is_set,
    async look(_session, runId, options) {
      if (believed(runId) === false) return { isSet: false, reached: null }
      const { is_set: isSet, reached } = await askFor(runId, options)
      return { isSet, reached }
    },
  }
}
