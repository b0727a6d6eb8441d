import type { Completion, Message, ToolCall } from "@switchyard/core/models/provider"
import { noUsage } from "@switchyard/core/models/provider"
import { createConversation, type ToolMessage } from "@switchyard/core/work/harness/conversation"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const callOf = (id: string): ToolCall => ({ id, name: "read_file", args: {}, rawArguments: "{}" })
const answerOf = (...ids: string[]): Completion => ({
  text: "So be it.",
  toolCalls: ids.map(callOf),
  usage: noUsage,
  stopReason: ids.length > 0 ? "tool_calls" : "end",
})
const resultOf = (id: string): ToolMessage => ({ role: "tool", toolCallId: id, content: "" })

type Move = { type: "say" } | { type: "answer"; ids: string[] } | { type: "results"; ids: string[] }

const ids = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 })
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.constant({ type: "say" as const }),
  fc.record({ type: fc.constant("answer" as const), ids }),
  fc.record({ type: fc.constant("results" as const), ids }),
)

/** Checks the rule of every provider: an answer's calls are followed directly by their results, once and in order. */
function isWellFormed(messages: Message[]): boolean {
  let waiting: string[] = []
  for (const message of messages) {
    if (message.role === "tool") {
      if (waiting.shift() !== message.toolCallId) return false
    } else {
      if (waiting.length > 0) return false
      waiting = message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : []
    }
  }
  return true
}

describe("a conversation", () => {
  it("is well formed after every move, and a move that would break it changes nothing", () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 12 }), (moves) => {
        const conversation = createConversation("Begin.")
        for (const { type, ...rest } of moves) {
          const before = conversation.messages
          try {
            if (type === "say") conversation.addUserMessage("Go on.")
            const named = "ids" in rest ? rest.ids : []
            if (type === "answer") conversation.addCompletion(answerOf(...named))
            if (type === "results") conversation.addToolResults(named.map(resultOf))
          } catch {
            expect(conversation.messages).toEqual(before)
          }
          expect(isWellFormed(conversation.messages)).toBe(true)
        }
      }),
    )
  })

  it("takes all results of an answer at once, in the order of its calls", () => {
    const conversation = createConversation("Begin.")
    conversation.addCompletion(answerOf("a", "b"))
    const broken = expect.objectContaining({ code: "internal_error" })
    expect(() => conversation.addToolResults([resultOf("a")])).toThrow(broken)
    expect(() => conversation.addToolResults([resultOf("b"), resultOf("a")])).toThrow(broken)
    expect(() => conversation.addUserMessage("Go on.")).toThrow(broken)
    conversation.addToolResults([resultOf("a"), resultOf("b")])
    expect(() => conversation.addToolResults([])).toThrow(broken)
    conversation.addUserMessage("Go on.")
    expect(conversation.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user"])
  })
})
