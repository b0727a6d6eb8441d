import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import { ModelError, type ModelErrorType } from "../../models/errors.ts"
import {
  type Completion,
  complete,
  type Message,
  type ModelProvider,
  type ModelRequest,
} from "../../models/provider.ts"
import { type Retry, withRetries } from "../../models/retrying.ts"
import type { NodeDeps } from "./node-deps.ts"
import type { Visit } from "./node-journal.ts"

type Asked = Omit<ModelRequest, "model">

const MAX_ATTEMPTS = 5
const MAX_WAIT_MS = 60_000
const MAX_CUTS = 2
const CUT_WAIT_MS = 1000

/** Asks the model, and tells the log its text as it comes, its retries and what it used. A refusal is an error. */
export async function callModel(deps: NodeDeps, visit: Visit, request: Asked): Promise<Completion> {
  const { context } = deps
  const completion = await wholeAnswer(deps, visit, request)
  const { input, cacheRead, cacheWrite, output } = completion.usage
  const usage = { input, cache_read: cacheRead, cache_write: cacheWrite, output }
  await visit.write([{ type: "model_usage", ...visit.speaker, model: context.model, usage }])
  if (completion.stopReason === "refusal") {
    const words = completion.text.trim().slice(0, 300)
    throw new AppError("invalid_request", `The model refused to answer.${words && ` It said: ${words}`}`)
  }
  return completion
}

/** Asks for an answer that `parse` accepts; where it throws `invalid_request`, the model hears why and may try once more. */
export async function askFor<T>(
  deps: NodeDeps,
  visit: Visit,
  request: Asked,
  parse: (answer: string) => T,
): Promise<T> {
  const first = await callModel(deps, visit, request)
  const problem = problemOf(first, parse)
  if (typeof problem !== "string") return problem.value

  const correction = `Your answer can't be used:\n${problem}\n\nAnswer once more with the complete, corrected JSON object and nothing else.`
  const messages: Message[] = [...request.messages, answerOf(first), { role: "user", content: correction }]
  const second = problemOf(await callModel(deps, visit, { ...request, messages }), parse)
  if (typeof second !== "string") return second.value
  const { node } = visit.speaker
  throw new AppError(
    "invalid_request",
    `The ${node}'s answer could not be used, after a second try either: ${second}`,
    {
      node,
    },
  )
}

/** What a model said, as it stands in the conversation that goes on. */
export function answerOf({ text, toolCalls, raw }: Completion): Message {
  return { role: "assistant", content: text, ...(toolCalls.length > 0 && { toolCalls }), raw }
}

/**
 * An answer that was cut off in the middle is asked for again: nothing is done before an answer is whole, so what was heard
 * of the first one did no harm.
 */
async function wholeAnswer(deps: NodeDeps, visit: Visit, request: Asked): Promise<Completion> {
  const { context, model, clock } = deps
  const provider = tellingRetries(deps, visit)
  for (let cuts = 1; ; cuts++) {
    let heard = false
    const onText = (text: string) => {
      heard = true
      visit.say(text)
    }
    try {
      const asked = { ...request, model: model.model }
      return await context.outside(() => complete(provider, asked, { signal: context.signal, onText }))
    } catch (error) {
      const cut = heard && error instanceof ModelError && error.errorType === "connection_error"
      if (!cut || cuts > MAX_CUTS) throw error
      await visit.write([retried(visit, "connection_error", cuts, CUT_WAIT_MS)])
      await clock.sleep(CUT_WAIT_MS, { signal: context.signal })
    }
  }
}

function problemOf<T>(completion: Completion, parse: (answer: string) => T): { value: T } | string {
  try {
    return { value: parse(completion.text) }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid_request") throw error
    const cut =
      completion.stopReason === "max_tokens" ? "\nThe answer was cut off at the output limit: be briefer." : ""
    return error.message + cut
  }
}

/** The provider, patient; what it waits for is in the log before it waits. */
function tellingRetries({ model, clock }: NodeDeps, visit: Visit): ModelProvider {
  let failed: Retry | undefined
  return withRetries(model.provider, {
    maxAttempts: MAX_ATTEMPTS,
    maxWaitMs: MAX_WAIT_MS,
    onRetry: (retry) => {
      failed = retry
    },
    async sleep(ms, signal) {
      const { attempt = 1, error } = failed ?? {}
      await visit.write([retried(visit, error?.errorType ?? "unknown_error", attempt, ms)])
      await clock.sleep(ms, { signal })
    },
  })
}

function retried({ speaker }: Visit, error_type: ModelErrorType, attempt: number, ms: number): NewEvent {
  return { type: "model_retried", ...speaker, error_type, attempt, wait_ms: Math.round(ms) }
}
