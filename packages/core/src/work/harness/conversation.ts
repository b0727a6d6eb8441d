import { AppError } from "../../errors.ts"
import { withoutThoughts } from "../../files/edits/prose.ts"
import type { Completion, Message, ToolCall, UserMessage } from "../../models/provider.ts"

export type ToolMessage = Extract<Message, { role: "tool" }>

/**
 * Messages of a conversation with a model, in an order that every provider accepts: tool calls are followed immediately
 * by one result each, in the same order. Methods throw `internal_error` if a message would violate this order.
 */
export type Conversation = ReturnType<typeof createConversation>

export function createConversation(first: string | UserMessage) {
  const messages: Message[] = [typeof first === "string" ? { role: "user", content: first } : first]

  function add(...more: Message[]): void {
    unansweredCalls([...messages, ...more])
    messages.push(...more)
  }

  return {
    get messages() {
      return [...messages]
    },
    addUserMessage: (content: string): void => add({ role: "user", content }),
    /** Adds a completion. If it contains tool calls, their results must be added next. */
    addCompletion: (completion: Completion): void => add(assistantMessage(completion)),
    /** Adds the results of all pending tool calls. */
    addToolResults(results: ToolMessage[]): void {
      const isWhole = results.length > 0 && results.length === unansweredCalls(messages).length
      if (!isWhole) throw invalidSequence(MISMATCH)
      add(...results)
    },
  }
}

const MISMATCH = "The results don't match the pending tool calls."

/** Returns the tool calls that have no result yet. Throws `internal_error` if the order is invalid. */
export function unansweredCalls([first, ...rest]: readonly Message[]): ToolCall[] {
  if (first && first.role !== "user") throw invalidSequence("A conversation must start with a user message.")
  let calls: ToolCall[] = []
  for (const message of rest) {
    if (message.role === "tool") {
      const [call, ...others] = calls
      if (call?.id !== message.toolCallId) throw invalidSequence(MISMATCH)
      calls = others
      continue
    }
    if (calls.length > 0) throw invalidSequence(`${calls.length} tool calls are pending.`)
    calls = message.role === "assistant" ? (message.toolCalls ?? []) : []
  }
  return calls
}

/**
 * Converts a completion to a message. Leaves reasoning out of the text, because chat templates would drop it anyway.
 */
export function assistantMessage({ text, toolCalls, raw }: Completion): Message {
  return { role: "assistant", content: withoutThoughts(text), ...(toolCalls.length > 0 && { toolCalls }), raw }
}

function invalidSequence(problem: string): AppError {
  return new AppError("internal_error", `Invalid message order: ${problem}`)
}

/** Number of consecutive identical refusals after which another call is unlikely to help. */
export const MAX_SAME_REFUSALS = 3

/**
 * Returns the refusal that the last three answers all received for the same calls. Undefined if there is none. Calls
 * are the same if they have the same tools and arguments.
 */
export function repeatedRefusal(messages: readonly Message[]): string | undefined {
  const answers = messages.flatMap((message, index) => (message.role === "assistant" ? [{ message, index }] : []))
  const last = answers.slice(-MAX_SAME_REFUSALS).map(({ message, index }) => {
    const calls = message.toolCalls ?? []
    const results = messages.slice(index + 1, index + 1 + calls.length)
    const isRefused = results.length > 0 && results.every((result) => result.role === "tool" && result.isError)
    if (!isRefused) return undefined
    const called = calls.map(({ name, rawArguments }) => [name, rawArguments])
    return JSON.stringify([called, results.map(({ content }) => content)])
  })
  const isSame = last.length === MAX_SAME_REFUSALS && last[0] !== undefined && new Set(last).size === 1
  return isSame ? messages.findLast(({ role }) => role === "tool")?.content : undefined
}
