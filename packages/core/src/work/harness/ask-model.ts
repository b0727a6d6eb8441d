import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import { ModelError, type ModelErrorType } from "../../models/errors.ts"
import { type Completion, complete, type ModelProvider, type ModelRequest } from "../../models/provider.ts"
import { type Retry, withRetries } from "../../models/retrying.ts"
import type { HarnessContext } from "./context.ts"

const MAX_ATTEMPTS = 5
const MAX_WAIT_MS = 60_000
const MAX_CUTS = 2
const CUT_WAIT_MS = 1000

/** Asks the model, and logs its text as it comes, its retries and its usage. Throws `invalid_request` for a refusal. */
export async function askModel(context: HarnessContext, request: Omit<ModelRequest, "model">): Promise<Completion> {
  const completion = await wholeAnswer(context, request)
  const { input, cacheRead, cacheWrite, output } = completion.usage
  const usage = { input, cache_read: cacheRead, cache_write: cacheWrite, output }
  await context.write([{ type: "model_usage", ...context.speaker, model: context.modelName, usage }])
  if (completion.stopReason === "refusal") {
    const words = completion.text.trim().slice(0, 300)
    throw new AppError("invalid_request", `The model refused to answer.${words && ` It said: ${words}`}`)
  }
  return completion
}

/**
 * Asks again for an answer that was cut off in the middle: nothing is done before an answer is whole, so the part that came
 * did no harm.
 */
async function wholeAnswer(context: HarnessContext, request: Omit<ModelRequest, "model">): Promise<Completion> {
  const { clock, signal } = context
  const provider = withLoggedRetries(context)
  for (let cuts = 1; ; cuts++) {
    let began = false
    const onText = (text: string) => {
      began = true
      context.emitText(text)
    }
    try {
      return await context.outside(() => complete(provider, { ...request, model: context.model }, { signal, onText }))
    } catch (error) {
      const cut = began && error instanceof ModelError && error.errorType === "connection_error"
      if (!cut || cuts > MAX_CUTS) throw error
      await context.write([retried(context, "connection_error", cuts, CUT_WAIT_MS)])
      await clock.sleep(CUT_WAIT_MS, { signal })
    }
  }
}

/** The provider with retries, each of which is in the log before its wait begins. */
function withLoggedRetries(context: HarnessContext): ModelProvider {
  let failed: Retry | undefined
  return withRetries(context.provider, {
    maxAttempts: MAX_ATTEMPTS,
    maxWaitMs: MAX_WAIT_MS,
    onRetry: (retry) => {
      failed = retry
    },
    async sleep(ms, signal) {
      const { attempt = 1, error } = failed ?? {}
      await context.write([retried(context, error?.errorType ?? "unknown_error", attempt, ms)])
      await context.clock.sleep(ms, { signal })
    },
  })
}

function retried({ speaker }: HarnessContext, error_type: ModelErrorType, attempt: number, ms: number): NewEvent {
  return { type: "model_retried", ...speaker, error_type, attempt, wait_ms: Math.round(ms) }
}
