import { AppError } from "../../errors.ts"
import { withoutThoughts } from "../../files/edits/prose.ts"
import type { Completion, Message, ToolCall, UserMessage } from "../../models/provider.ts"

export type ToolMessage = Extract<Message, { role: "tool" }>

/**
 * Messages of one conversation with a model, in an order that every provider accepts: tool calls are followed
 * immediately by one result each, in the same order. A method that would break the order throws `internal_error` and
 * changes nothing.
 */
export interface Conversation {
  readonly messages: Message[]
  addUserMessage(content: string): void
  /** Adds a model's completion. Its tool calls, if any, then wait for their results. */
  addCompletion(completion: Completion): void
  /** Adds the results of all pending tool calls. */
  addToolResults(results: ToolMessage[]): void
}

export function createConversation(first: string | UserMessage): Conversation {
  const messages: Message[] = [typeof first === "string" ? { role: "user", content: first } : first]
  let pendingCalls: ToolCall[] = []

  function assertNoPendingCalls(): void {
    if (pendingCalls.length > 0) throw invalidSequence(`${pendingCalls.length} tool calls are pending.`)
  }

  return {
    get messages() {
      return [...messages]
    },
    addUserMessage(content) {
      assertNoPendingCalls()
      messages.push({ role: "user", content })
    },
    addCompletion(completion) {
      assertNoPendingCalls()
      messages.push(assistantMessage(completion))
      pendingCalls = completion.toolCalls
    },
    addToolResults(results) {
      const fits =
        results.length === pendingCalls.length && pendingCalls.every(({ id }, at) => results[at]?.toolCallId === id)
      if (!fits || results.length === 0) throw invalidSequence("The results don't match the pending tool calls.")
      messages.push(...results)
      pendingCalls = []
    },
  }
}

/** Makes a message of a completion. Reasoning in the text is not sent back, as chat templates also drop it. */
function assistantMessage({ text, toolCalls, raw }: Completion): Message {
  return { role: "assistant", content: withoutThoughts(text), ...(toolCalls.length > 0 && { toolCalls }), raw }
}

function invalidSequence(problem: string): AppError {
  return new AppError("internal_error", `Invalid order of messages: ${problem}`)
}
