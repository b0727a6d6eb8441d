import { AppError } from "../../errors.ts"
import type { Completion, Message, ToolCall } from "../../models/provider.ts"

export type ToolMessage = Extract<Message, { role: "tool" }>

/**
 * The messages of one conversation with a model, in an order that every provider accepts: the calls of an answer are followed
 * at once by their results, one for each call and in the order of the calls. Whatever would break that throws
 * `internal_error` and changes nothing.
 */
export interface Conversation {
  readonly messages: Message[]
  /** Adds a message of the caller's. */
  say(content: string): void
  /** Adds an answer of the model's. Its calls, if it has any, wait for their results. */
  answer(completion: Completion): void
  /** Adds the results of all calls of the last answer. */
  results(results: ToolMessage[]): void
}

export function createConversation(first: string): Conversation {
  const messages: Message[] = [{ role: "user", content: first }]
  let waiting: ToolCall[] = []

  function assertNothingWaits(): void {
    if (waiting.length > 0) throw broken(`${waiting.length} tool calls wait for their results.`)
  }

  return {
    get messages() {
      return [...messages]
    },
    say(content) {
      assertNothingWaits()
      messages.push({ role: "user", content })
    },
    answer(completion) {
      assertNothingWaits()
      messages.push(answerMessage(completion))
      waiting = completion.toolCalls
    },
    results(results) {
      const fits = results.length === waiting.length && waiting.every(({ id }, at) => results[at]?.toolCallId === id)
      if (!fits || results.length === 0) throw broken("The results don't fit the calls that wait.")
      messages.push(...results)
      waiting = []
    },
  }
}

/** A model's answer as a message of the conversation that goes on. */
function answerMessage({ text, toolCalls, raw }: Completion): Message {
  return { role: "assistant", content: text, ...(toolCalls.length > 0 && { toolCalls }), raw }
}

function broken(problem: string): AppError {
  return new AppError("internal_error", `This can't follow in a conversation: ${problem}`)
}
