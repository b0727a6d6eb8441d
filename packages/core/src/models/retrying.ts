import { backoffMs, withJitter } from "../concurrency/retry.ts"
import { ModelError } from "./errors.ts"
import { isPreview, type ModelEvent, type ModelProvider, type ModelRequest } from "./provider.ts"
import type { PausedCall, SharedPause } from "./shared-pause.ts"

export interface Retry {
  /** Number of the failed attempt, 1-based. */
  attempt: number
  /** Minimum wait. With a shared pause, other calls may be sent first. */
  waitMs: number
  error: ModelError
}

export interface RetryPolicy {
  maxAttempts: number
  /** Maximum wait. If a provider asks for a longer one, the call fails, and the caller may park the run. */
  maxWaitMs: number
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Shared by calls under the same limit. If omitted, each call waits independently. */
  pause?: SharedPause
  /** Called before each wait, which starts once the returned promise resolves. */
  onRetry?(retry: Retry): Promise<void> | void
  /** Returns a number between 0 and 1. It spreads the retries of callers that failed together. */
  random?(): number
}

/** Multiplies the attempts of a call that waits for its plan's limit. */
const LIMIT_ATTEMPTS = 4

/** Wraps a provider with retries. Never retries after the caller has seen part of the answer; previews don't count. */
export function withRetries(provider: ModelProvider, policy: RetryPolicy): ModelProvider {
  return {
    name: provider.name,
    async *stream(request, options) {
      const call = policy.pause?.newCall()
      try {
        yield* streamWithRetries(provider, { ...policy, call }, request, options)
      } finally {
        call?.leave()
      }
    },
  }
}

async function* streamWithRetries(
  provider: ModelProvider,
  policy: RetryPolicy & { call: PausedCall | undefined },
  request: ModelRequest,
  options: { signal: AbortSignal },
): AsyncGenerator<ModelEvent> {
  const { call } = policy
  for (let attempt = 1; ; attempt++) {
    let yielded = false
    await call?.enter(options.signal)
    try {
      for await (const event of provider.stream(request, options)) {
        call?.letIn()
        yielded ||= !isPreview(event)
        yield event
      }
      return
    } catch (error) {
      const isLimit = error instanceof ModelError && error.errorType === "rate_limit"
      const limited = isLimit ? call : undefined
      const failures = Math.max(attempt, limited?.limited() ?? 0)
      const waitMs = yielded ? undefined : retryWaitMs(error, failures, policy)
      if (waitMs === undefined) throw error
      limited?.pause(waitMs)
      await policy.onRetry?.({ attempt, waitMs, error: error as ModelError })
      if (!limited) await policy.sleep(waitMs, options.signal)
    }
  }
}

function retryWaitMs(error: unknown, failures: number, policy: RetryPolicy): number | undefined {
  if (!(error instanceof ModelError) || !error.retryable) return undefined
  // A plan's limit resets with time, but the plan's other users may take its tokens first.
  const isTold = error.limit !== undefined && error.retryAfterMs !== undefined
  const maxAttempts = isTold ? policy.maxAttempts * LIMIT_ATTEMPTS : policy.maxAttempts
  if (failures >= maxAttempts) return undefined
  const random = policy.random ?? Math.random
  const waitMs = error.retryAfterMs ?? withJitter(backoffMs(failures - 1, 500, 8000), random)
  return waitMs <= policy.maxWaitMs ? waitMs : undefined
}
