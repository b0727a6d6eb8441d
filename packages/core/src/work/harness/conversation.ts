import { AppError } from "../../errors.ts"
import { withoutThoughts } from "../../files/edits/prose.ts"
import type { Completion, Message, ToolCall, UserMessage } from "../../models/provider.ts"

export type ToolMessage = Extract<Message, { role: "tool" }>

/**
 * The messages of one conversation with a model, in an order that every provider accepts: tool calls are followed at
 * once by their results, one for each call and in the order of the calls. A call that would break that throws
 * `internal_error` and changes nothing.
 */
export interface Conversation {
  readonly messages: Message[]
  /** Adds a user's message. */
  addUserMessage(content: string): void
  /** Adds a completion of the model. Its tool calls, if any, wait for their results. */
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

/** The message of a completion. Thoughts in its text are not sent back: templates drop them, too. */
function assistantMessage({ text, toolCalls, raw }: Completion): Message {
  return { role: "assistant", content: withoutThoughts(text), ...(toolCalls.length > 0 && { toolCalls }), raw }
}

function invalidSequence(problem: string): AppError {
  return new AppError("internal_error", `Invalid order of messages: ${problem}`)
}
