import { backoffMs } from "../../concurrency/retry.ts"
import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import { ModelError, type ModelErrorType } from "../../models/errors.ts"
import {
  type Completion,
  complete,
  type Message,
  type ModelProvider,
  type ModelRequest,
  type ToolSpec,
} from "../../models/provider.ts"
import { withRetries } from "../../models/retrying.ts"
import type { WebSearch } from "../../models/web-search.ts"
import { estimateTokens } from "../context/budgets.ts"
import { type CallPreview, createCallPreview } from "./call-preview.ts"
import type { HarnessContext } from "./context.ts"
import { toolNamed } from "./tools.ts"
import { writtenCalls } from "./written-calls.ts"

const MAX_ATTEMPTS = 5
const MAX_WAIT_MS = 60_000
const MAX_BREAKS = 2
const RECONNECT_WAIT_MS = 1000
/** Delay after hitting a rate limit in the middle of an answer, if the provider doesn't say how long to wait. */
const LIMIT_WAIT_MS = 5000

/**
 * Calls the model. Logs the model's text, the files in its tool calls as they stream in, retries and usage. Throws
 * `workflow_error` if the model refuses to answer.
 */
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
  const { completion, modelName } = await completeByAny(context, request)
  const { input, cacheRead, cacheWrite, output } = completion.usage
  const usage = { input, cache_read: cacheRead, cache_write: cacheWrite, output }
  const searches = (completion.searches ?? []).flatMap((search) => searchEvents(context, search))
  const withFee = (completion.searches ?? []).filter(({ hasFee }) => hasFee).length
  const used = { ...context.nodeRef, model: modelName, usage, ...(withFee > 0 && { searches: withFee }) }
  await context.write([...searches, { type: "model_usage", ...used }])
  if (completion.stopReason === "refusal") throw new RefusalError(completion)
  return withKnownCalls(context, completion, request.tools ?? [])
}

const WRITTEN = "You wrote this call as text. It was made, but use the interface for tool calls instead."

/** Replaces inexact tool names by the tools' names. If there are no calls, takes those that the model wrote as text. */
function withKnownCalls({ newId }: HarnessContext, completion: Completion, tools: readonly ToolSpec[]): Completion {
  if (completion.toolCalls.length > 0) {
    const toolCalls = completion.toolCalls.map((call) => ({
      ...call,
      name: toolNamed(call.name, tools)?.name ?? call.name,
    }))
    return { ...completion, toolCalls }
  }
  const written = completion.stopReason === "max_tokens" ? undefined : writtenCalls(completion.text, tools)
  if (!written) return completion
  const toolCalls = written.calls.map(({ name, args }) => {
    return { id: newId("tc"), name, args, rawArguments: JSON.stringify(args), note: WRITTEN }
  })
  // `raw` contains the calls as text, so it can't be sent back with their results.
  return { ...completion, text: written.words, toolCalls, raw: undefined }
}

/** Output limit assumed for requests without one. */
const USUAL_OUTPUT_TOKENS = 8192

/** Estimates the maximum usage of a request. */
function largestUsage({ system, messages, tools = [], maxOutputTokens = USUAL_OUTPUT_TOKENS }: Sizes) {
  const chars = system.length + JSON.stringify(messages).length + tools.length * CHARS_OF_TOOL
  return { input: estimateTokens(chars), output: maxOutputTokens }
}

type Sizes = Pick<ModelRequest, "system" | "messages" | "tools" | "maxOutputTokens">
const CHARS_OF_TOOL = 1000

/** A refusal by a model or by its provider's content filter. */
export class RefusalError extends AppError {
  readonly completion: Completion

  constructor(completion: Completion) {
    super("workflow_error", refusalMessage(completion))
    this.completion = completion
  }
}

/**
 * Explains a refusal with the provider's reason, never with the text, which may be the beginning of an interrupted
 * answer.
 */
function refusalMessage({ text, reason = "" }: Completion): string {
  const words = reason.trim().slice(0, 300)
  if (words !== "") return `The model refused to answer. Its reason: ${words}`
  return text.trim() === "" ? "The model refused to answer." : "The model refused to continue its answer."
}

/** Calls the model. If its provider is down, calls the chain's next model, and logs that. */
async function completeByAny(
  context: HarnessContext,
  request: Omit<ModelRequest, "model" | "cacheKey">,
): Promise<{ completion: Completion; modelName: string }> {
  const { chain, modelName: first } = context
  let answering = { ...context, ...chain?.current() }
  for (;;) {
    const { modelName } = answering
    const asked = modelName === first ? request : { ...request, messages: request.messages.map(withoutRaw) }
    try {
      return { completion: await completeWithRetries(answering, asked), modelName }
    } catch (error) {
      const next = chain?.next(error, modelName)
      if (!next) throw error
      const models = { from_model: modelName, to_model: next.modelName }
      await context.write([{ type: "model_replaced", ...context.nodeRef, ...models, reason: (error as Error).message }])
      answering = { ...context, ...next }
    }
  }
}

/** Removes what only the provider that wrote a message understands. */
function withoutRaw(message: Message): Message {
  return message.role === "assistant" ? { ...message, raw: undefined } : message
}

/** Calls the model again if a response breaks off. That is safe because no tool runs before a response is complete. */
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
      // Failures before the first word have already been retried by the provider wrapper.
      const waitMs = started && breaks <= MAX_BREAKS ? waitAfterBreak(error, breaks) : undefined
      if (waitMs === undefined) throw error
      await context.write([retriedEvent(context, (error as ModelError).errorType, breaks, waitMs)])
      await clock.sleep(waitMs, { signal })
    } finally {
      preview.reset()
    }
  }
}

/**
 * Returns how long to wait before retrying a broken response. Undefined if retrying won't help or can't be done soon
 * enough.
 */
function waitAfterBreak(error: unknown, breaks: number): number | undefined {
  if (!(error instanceof ModelError) || !error.retryable) return undefined
  if (error.errorType !== "rate_limit") return RECONNECT_WAIT_MS
  const waitMs = error.retryAfterMs ?? backoffMs(breaks - 1, LIMIT_WAIT_MS, MAX_WAIT_MS)
  return waitMs <= MAX_WAIT_MS ? waitMs : undefined
}

/** Wraps the provider so that it retries failed calls. Logs each retry before waiting for it. */
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

/** Logs a web search by the provider as a tool call. Pages cited in the answer come first. */
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
