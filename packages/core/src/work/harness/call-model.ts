import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import { ModelError, type ModelErrorType } from "../../models/errors.ts"
import { type Completion, complete, type ModelProvider, type ModelRequest } from "../../models/provider.ts"
import { withRetries } from "../../models/retrying.ts"
import type { WebSearch } from "../../models/web-search.ts"
import { backoffMs } from "../../retry.ts"
import { estimateTokens, unknownRatio } from "../context/budgets.ts"
import { type CallPreview, createCallPreview } from "./call-preview.ts"
import type { HarnessContext } from "./context.ts"

const MAX_ATTEMPTS = 5
const MAX_WAIT_MS = 60_000
const MAX_BREAKS = 2
const RECONNECT_WAIT_MS = 1000
/** A limit that is met in the middle of an answer is one of tokens in a minute, and names no time. */
const LIMIT_WAIT_MS = 5000

/** Calls the model, and logs its text and the files in its calls as they stream, its retries and its usage. Throws `workflow_error` for a refusal. */
export async function callModel(
  context: HarnessContext,
  request: Omit<ModelRequest, "model" | "cacheKey">,
): Promise<Completion> {
  const release = await context.beforeCall?.(() => ({ model: context.modelName, ...largestUsage(request) }))
  try {
    return await countedCall(context, request)
  } finally {
    await release?.()
  }
}

async function countedCall(
  context: HarnessContext,
  request: Omit<ModelRequest, "model" | "cacheKey">,
): Promise<Completion> {
  const completion = await completeWithRetries(context, request)
  const { input, cacheRead, cacheWrite, output } = completion.usage
  const usage = { input, cache_read: cacheRead, cache_write: cacheWrite, output }
  const searches = (completion.searches ?? []).flatMap((search) => searchEvents(context, search))
  const withFee = (completion.searches ?? []).filter(({ hasFee }) => hasFee).length
  const used = { ...context.nodeRef, model: context.modelName, usage, ...(withFee > 0 && { searches: withFee }) }
  await context.write([...searches, { type: "model_usage", ...used }])
  if (completion.stopReason === "refusal") throw new RefusalError(completion)
  return completion
}

/** A usual limit of an answer, for requests that name none. */
const USUAL_OUTPUT_TOKENS = 8192

/** An estimate of the most that a request may use. */
function largestUsage({ system, messages, tools = [], maxOutputTokens = USUAL_OUTPUT_TOKENS }: Sizes) {
  const chars = system.length + JSON.stringify(messages).length + tools.length * CHARS_OF_TOOL
  return { input: Math.ceil(estimateTokens(unknownRatio, chars)), output: maxOutputTokens }
}

type Sizes = Pick<ModelRequest, "system" | "messages" | "tools" | "maxOutputTokens">
const CHARS_OF_TOOL = 1000

/** The refusal of a model, or of what its provider has before it. */
export class RefusalError extends AppError {
  readonly completion: Completion

  constructor(completion: Completion) {
    super("workflow_error", refusalMessage(completion))
    this.completion = completion
  }
}

/** The text of an answer that was broken off is the beginning of one, and no reason. */
function refusalMessage({ text, reason = "" }: Completion): string {
  const words = reason.trim().slice(0, 300)
  if (words !== "") return `The model refused to answer. Its reason: ${words}`
  return text.trim() === "" ? "The model refused to answer." : "The model refused to go on with its answer."
}

/**
 * Calls the model again after a response that broke off in the middle, by a cut or by a limit: nothing is done before a
 * response is complete, so its first part did no harm.
 */
async function completeWithRetries(
  context: HarnessContext,
  request: Omit<ModelRequest, "model" | "cacheKey">,
): Promise<Completion> {
  const { clock, signal } = context
  const preview = createCallPreview(context, request.tools ?? [])
  const provider = withLoggedRetries(context, preview)
  for (let breaks = 1; ; breaks++) {
    let started = false
    const onText = (text: string) => {
      started = true
      context.emitText(text)
    }
    try {
      return await context.awaitExternal(() =>
        complete(
          provider,
          { ...request, model: context.model, cacheKey: context.cacheKey },
          { signal, onText, onToolCallDelta: preview.addToolCallDelta, onReasoning: preview.addReasoning },
        ),
      )
    } catch (error) {
      // What failed before the first word has had its attempts.
      const waitMs = started && breaks <= MAX_BREAKS ? waitAfterBreak(error, breaks) : undefined
      if (waitMs === undefined) throw error
      await context.write([retriedEvent(context, (error as ModelError).errorType, breaks, waitMs)])
      await clock.sleep(waitMs, { signal })
    } finally {
      preview.reset()
    }
  }
}

/** The wait before a broken response is asked for anew; undefined where that doesn't help, or not soon. */
function waitAfterBreak(error: unknown, breaks: number): number | undefined {
  if (!(error instanceof ModelError) || !error.retryable) return undefined
  if (error.errorType !== "rate_limit") return RECONNECT_WAIT_MS
  const waitMs = error.retryAfterMs ?? backoffMs(breaks - 1, LIMIT_WAIT_MS, MAX_WAIT_MS)
  return waitMs <= MAX_WAIT_MS ? waitMs : undefined
}

/** The provider with retries, each of which is logged before its wait begins. */
function withLoggedRetries(context: HarnessContext, preview: CallPreview): ModelProvider {
  return withRetries(context.provider, {
    maxAttempts: MAX_ATTEMPTS,
    maxWaitMs: MAX_WAIT_MS,
    pause: context.pause,
    sleep: (ms, signal) => context.clock.sleep(ms, { signal }),
    async onRetry({ error, attempt, waitMs }) {
      preview.reset()
      await context.write([retriedEvent(context, error.errorType, attempt, waitMs)])
    },
  })
}

function retriedEvent({ nodeRef }: HarnessContext, error_type: ModelErrorType, attempt: number, ms: number): NewEvent {
  return { type: "model_retried", ...nodeRef, error_type, attempt, wait_ms: Math.round(ms) }
}

const MAX_QUERY_CHARS = 2000
const MAX_PAGES_CHARS = 4000

/** A search of the provider's own as a tool call, with the pages that it found; what the answer cites comes first. */
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
