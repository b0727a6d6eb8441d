import { backoffMs } from "../../concurrency/retry.ts"
import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import { ModelError } from "../../models/errors.ts"
import type { PlanLimit } from "../../models/plan-limit.ts"
import {
  type Completion,
  complete,
  type Message,
  type ModelProvider,
  type ModelRequest,
  type Usage,
} from "../../models/provider.ts"
import { withRetries } from "../../models/retrying.ts"
import type { WebSearch } from "../../models/web-search.ts"
import { type CallPreview, createCallPreview } from "./call-preview.ts"
import type { HarnessContext } from "./context.ts"
import { withImages } from "./images.ts"
import { withKnownCalls } from "./known-calls.ts"
import { learnFromRefusal, promptTokens } from "./prompt-size.ts"

const MAX_ATTEMPTS = 5
const MAX_WAIT_MS = 60_000
const MAX_BREAKS = 2
const RECONNECT_WAIT_MS = 1000
/** Delay after a rate limit in the middle of an answer, unless the provider specifies the delay. */
const LIMIT_WAIT_MS = 5000

type Request = Omit<ModelRequest, "model" | "cacheKey">

/**
 * Calls the model. As they arrive, logs the text, the files in tool calls, retries and usage. Throws `workflow_error`
 * if the model refuses to answer.
 */
export async function callModel(context: HarnessContext, request: Request): Promise<Completion> {
  const release = await context.beforeCall?.(() => ({ model: context.modelName, ...largestUsage(request) }))
  try {
    return await countedCall(context, request)
  } finally {
    await release?.()
  }
}

async function countedCall(context: HarnessContext, request: Request): Promise<Completion> {
  const { completion, modelName } = await completeByAny(context, request)
  const { input, cacheRead, cacheWrite } = completion.usage
  context.limits.addCount(modelName, promptTokens(request), (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0))
  const searches = (completion.searches ?? []).flatMap((search) => searchEvents(context, search))
  const withFee = (completion.searches ?? []).filter(({ hasFee }) => hasFee).length
  const { costUsd } = completion
  const costs = { ...(withFee > 0 && { searches: withFee }), ...(costUsd !== undefined && { cost_usd: costUsd }) }
  await context.write([...searches, usageEvent({ ...context, modelName }, completion.usage, costs)])
  if (completion.stopReason === "refusal") throw new RefusalError(completion)
  return withKnownCalls(context, completion, request.tools ?? [])
}

function usageEvent({ nodeRef, modelName }: HarnessContext, usage: Usage, costs: object = {}): NewEvent {
  const { input, cacheRead: cache_read, cacheWrite: cache_write, output } = usage
  return {
    type: "model_usage",
    ...nodeRef,
    model: modelName,
    usage: { input, cache_read, cache_write, output },
    ...costs,
  }
}

/** Output limit assumed for a request that doesn't set one. */
const USUAL_OUTPUT_TOKENS = 8192

/** Estimates a request's maximum usage. */
function largestUsage({ maxOutputTokens = USUAL_OUTPUT_TOKENS, ...request }: Request) {
  return { input: promptTokens(request), output: maxOutputTokens }
}

/** A refusal by a model or by its provider's content filter. */
export class RefusalError extends AppError {
  readonly completion: Completion

  constructor(completion: Completion) {
    super("workflow_error", refusalMessage(completion))
    this.completion = completion
  }
}

/**
 * Explains a refusal with the provider's reason. Doesn't quote the model's text, because it may be the beginning of an
 * interrupted answer.
 */
function refusalMessage({ text, reason = "" }: Completion): string {
  const words = reason.trim().slice(0, 300)
  if (words !== "") return `The model refused to answer. Its reason: ${words}`
  return text.trim() === "" ? "The model refused to answer." : "The model refused to continue its answer."
}

/** Calls the model. If the model's provider is down, calls the next model of the chain, and logs the switch. */
async function completeByAny(
  context: HarnessContext,
  request: Request,
): Promise<{ completion: Completion; modelName: string }> {
  const { chain, modelName: first } = context
  let answering = { ...context, ...chain?.current() }
  for (;;) {
    const { modelName } = answering
    const asked = modelName === first ? request : { ...request, messages: request.messages.map(withoutRaw) }
    try {
      return { completion: await completeWithRetries(answering, asked), modelName }
    } catch (error) {
      learnFromRefusal(context, modelName, request, error)
      const used = usageOfFailure(answering, error)
      const next = chain?.next(error, modelName)
      if (!next) {
        if (used.length > 0) await context.write(used)
        throw error
      }
      const models = { from_model: modelName, to_model: next.modelName }
      const replaced = { ...context.nodeRef, ...models, reason: (error as Error).message }
      await context.write([{ type: "model_replaced", ...replaced }, ...used])
      answering = { ...context, ...next }
    }
  }
}

/** Removes the part of a message that only the provider that created it understands. */
function withoutRaw(message: Message): Message {
  return message.role === "assistant" ? { ...message, raw: undefined } : message
}

/**
 * Calls the model again if a response breaks off. Another call is safe because tools don't run before the response is
 * complete.
 */
async function completeWithRetries(context: HarnessContext, request: Request): Promise<Completion> {
  const { clock, signal } = context
  const preview = createCallPreview(context, request.tools ?? [])
  const provider = withLoggedRetries(context, preview)
  const messages = await withImages(request.messages, context.readImage)
  for (let breaks = 1; ; breaks++) {
    let started = false
    const onText = (text: string) => {
      started = true
      context.emitText(text)
    }
    const onPlanLimit = (limit: PlanLimit) => context.limits.addPlanLimit(context.modelName, limit)
    try {
      return await context.awaitExternal(() =>
        complete(
          provider,
          { ...request, messages, model: context.model, cacheKey: context.cacheKey },
          {
            signal,
            onAccepted: context.onAccepted,
            onText,
            onToolCallDelta: preview.addToolCallDelta,
            onReasoning: preview.addReasoning,
            onPlanLimit,
          },
        ),
      )
    } catch (error) {
      // `withLoggedRetries` has already retried failures before the first word.
      const waitMs = started && breaks <= MAX_BREAKS ? waitAfterBreak(error, breaks) : undefined
      if (waitMs === undefined) throw error
      await context.write(retriedEvents(context, error as ModelError, breaks, waitMs))
      await clock.sleep(waitMs, { signal })
    } finally {
      preview.reset()
    }
  }
}

/**
 * Returns the time to wait before retrying a broken response. Undefined if a retry won't help, or if the wait would be
 * too long.
 */
function waitAfterBreak(error: unknown, breaks: number): number | undefined {
  if (!(error instanceof ModelError) || !error.retryable) return undefined
  if (error.errorType !== "rate_limit") return RECONNECT_WAIT_MS
  const waitMs = error.retryAfterMs ?? backoffMs(breaks - 1, LIMIT_WAIT_MS, MAX_WAIT_MS)
  return waitMs <= MAX_WAIT_MS ? waitMs : undefined
}

/** Wraps the provider so that it retries failed calls. Each retry is logged before its delay. */
function withLoggedRetries(context: HarnessContext, preview: CallPreview): ModelProvider {
  return withRetries(context.provider, {
    maxAttempts: MAX_ATTEMPTS,
    maxWaitMs: MAX_WAIT_MS,
    pause: context.pause,
    sleep: (ms, signal) => context.clock.sleep(ms, { signal }),
    async onRetry({ error, attempt, waitMs }) {
      preview.reset()
      if (error.limit) context.limits.addPlanLimit(context.modelName, error.limit)
      await context.write(retriedEvents(context, error, attempt, waitMs))
    },
  })
}

/** Returns the retry, and then the usage of the failed call, because usage ends an answer that a retry discards. */
function retriedEvents(context: HarnessContext, error: ModelError, attempt: number, ms: number): NewEvent[] {
  const reason = error.limit && error.message
  const retried = { error_type: error.errorType, attempt, wait_ms: Math.round(ms), ...(reason && { reason }) }
  return [{ type: "model_retried", ...context.nodeRef, ...retried }, ...usageOfFailure(context, error)]
}

function usageOfFailure(context: HarnessContext, error: unknown): NewEvent[] {
  return error instanceof ModelError && error.usage ? [usageEvent(context, error.usage)] : []
}

const MAX_QUERY_CHARS = 2000
const MAX_PAGES_CHARS = 4000

/** Logs a provider's web search as a tool call. Pages that the answer cites come first. */
function searchEvents({ newId, nodeRef }: HarnessContext, { query, sources, error }: WebSearch): NewEvent[] {
  const tool_call_id = newId("tc")
  const args = JSON.stringify({ query: query.slice(0, MAX_QUERY_CHARS) })
  const inOrder = [...sources].sort((a, b) => Number(b.isCited) - Number(a.isCited))
  const pages = inOrder.map(
    ({ url, title, isCited }) => `${isCited ? "Cited: " : ""}${title === url ? "" : `${title} `}${url}`,
  )
  const llm_summary = error ? `ERROR: ${error}` : pages.join("\n").slice(0, MAX_PAGES_CHARS) || "Nothing was found."
  return [
    { type: "tool_call_started", ...nodeRef, tool_call_id, tool: "other", name: "web_search", args },
    { type: "tool_call_finished", ...nodeRef, tool_call_id, exit_code: error ? 1 : 0, duration_ms: 0, llm_summary },
  ]
}
