import { ModelError } from "../../models/errors.ts"
import type { Message, ModelRequest } from "../../models/provider.ts"
import { CHARS_PER_TOKEN, estimateTokens, imageTokens } from "../context/budgets.ts"
import type { HarnessContext } from "./context.ts"
import { cutMiddle } from "./durable-tools.ts"
import { imagesIn } from "./images.ts"
import { shortenConversation } from "./shorten-conversation.ts"

export type Sizes = Pick<ModelRequest, "system" | "messages" | "tools">

const CHARS_OF_TOOL = 1000
/** Maximum number of shorter prompts to try after a refusal. */
const MAX_SHORTER = 4
const MIN_KEPT_CHARS = 2000

/** Estimates the number of tokens in a request's prompt. */
export function promptTokens({ system, messages, tools = [] }: Sizes): number {
  const texts = estimateTokens(system.length + JSON.stringify(messages).length + tools.length * CHARS_OF_TOOL)
  return texts + imageTokens(imagesIn(messages))
}

/**
 * Returns the number of estimated tokens that a prompt has left for messages. Infinite if no limit is known. Asks the
 * server for the model's context size until the server states a size.
 */
export async function roomForMessages(harness: HarnessContext, request: Omit<Sizes, "messages">): Promise<number> {
  const { provider, model, modelName } = { ...harness, ...harness.chain?.current() }
  if (provider.contextTokens && harness.limits.takeContextQuestion(modelName)) {
    const tokens = await provider.contextTokens(model, { signal: harness.signal })
    if (tokens !== undefined) harness.limits.addContext(modelName, tokens)
  }
  return harness.limits.maxTokens(modelName) - promptTokens({ ...request, messages: [] })
}

/**
 * Shortens a conversation to about this many tokens. First cuts the middle out of long tool results, and then leaves
 * out old messages. Always keeps the first message and the newest turn.
 */
export function shortenToRoom(messages: readonly Message[], tokens: number): Message[] {
  const room = Math.max(0, tokens * CHARS_PER_TOKEN)
  const [first, ...rest] = messages
  if (first?.role !== "user" || JSON.stringify(messages).length <= room) return [...messages]
  const maxResult = Math.max(MIN_KEPT_CHARS, Math.floor(room / 4))
  const cut = rest.map((message) => {
    if (message.role !== "tool") return message
    return { ...message, content: cutMiddle(message.content, "Read it in parts.", maxResult) }
  })
  const limit = Math.max(MIN_KEPT_CHARS, room - JSON.stringify(first).length)
  const [start, ...kept] = shortenConversation([{ role: "user", content: "" }, ...cut], { limit, kept: limit / 2 })
  return [{ ...first, content: `${first.content}${start?.content ?? ""}` }, ...kept]
}

/**
 * Makes a call whose prompt is built from the limits known so far. If the provider refuses the prompt as too long, the
 * limit is learned from the refusal, and the call is repeated. Throws the refusal if shorter prompts are refused too.
 */
export async function withShorterPrompts<T>(harness: HarnessContext, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ModelError) || error.errorType !== "context_limit" || attempt > MAX_SHORTER) throw error
      const reason = `${error.message} The next one is shorter.`
      await harness.write([
        { type: "model_retried", ...harness.nodeRef, error_type: error.errorType, attempt, wait_ms: 0, reason },
      ])
    }
  }
}

/** Learns the maximum length of prompts from a failed call. */
export function learnFromRefusal({ limits }: HarnessContext, modelName: string, request: Sizes, error: unknown): void {
  if (!(error instanceof ModelError)) return
  const { limit, errorType } = error
  if (limit) limits.addPlanLimit(modelName, limit)
  if (errorType !== "context_limit") return
  const estimated = promptTokens(request)
  if (limit?.requested) limits.addCount(modelName, estimated, limit.requested)
  limits.addRefused(modelName, estimated)
}
