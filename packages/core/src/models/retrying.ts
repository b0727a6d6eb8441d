import { backoffMs, withJitter } from "../retry.ts"
import { ModelError } from "./errors.ts"
import { isPreview, type ModelEvent, type ModelProvider, type ModelRequest } from "./provider.ts"

export interface Retry {
  /** The attempt that failed, from 1. */
  attempt: number
  waitMs: number
  error: ModelError
}

export interface RetryPolicy {
  maxAttempts: number
  /** A provider that asks for a longer wait gets none: the error goes to the caller, who may park the run. */
  maxWaitMs: number
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  onRetry?(retry: Retry): void
  /** Between 0 and 1: spreads out callers who failed together. */
  random?(): number
}

/** The same provider, which asks again where that may help, and never once the caller has seen a part of the answer. Previews don't count. */
export function withRetries(provider: ModelProvider, policy: RetryPolicy): ModelProvider {
  return {
    name: provider.name,
    stream: (request, options) => streamWithRetries(provider, policy, request, options),
  }
}

async function* streamWithRetries(
  provider: ModelProvider,
  policy: RetryPolicy,
  request: ModelRequest,
  options: { signal: AbortSignal },
): AsyncGenerator<ModelEvent> {
  for (let attempt = 1; ; attempt++) {
    let yielded = false
    try {
      for await (const event of provider.stream(request, options)) {
        yielded ||= !isPreview(event)
        yield event
      }
      return
    } catch (error) {
      const waitMs = yielded ? undefined : retryWaitMs(error, attempt, policy)
      if (waitMs === undefined) throw error
      policy.onRetry?.({ attempt, waitMs, error: error as ModelError })
      await policy.sleep(waitMs, options.signal)
    }
  }
}

function retryWaitMs(error: unknown, attempt: number, policy: RetryPolicy): number | undefined {
  if (!(error instanceof ModelError) || !error.retryable || attempt >= policy.maxAttempts) return undefined
  const random = policy.random ?? Math.random
  const waitMs = error.retryAfterMs ?? withJitter(backoffMs(attempt - 1, 500, 8000), random)
  return waitMs <= policy.maxWaitMs ? waitMs : undefined
}
