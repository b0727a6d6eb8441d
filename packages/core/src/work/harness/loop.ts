import type { Completion, ToolChoice } from "../../models/provider.ts"
import { callModel } from "./call-model.ts"
import type { HarnessContext } from "./context.ts"
import type { Conversation, ToolMessage } from "./conversation.ts"
import { roomForMessages, shortenToRoom } from "./prompt-size.ts"
import { runTools } from "./run-tools.ts"
import type { Tool } from "./tools.ts"

/** A model call with the results of its tool calls. */
export interface Turn {
  completion: Completion
  usedTools: boolean
  /** Results of failed tool calls. */
  refusals: string[]
  callsLeft: number
}

/** Decision after a turn: end the loop, or call the model again, optionally with a new message. */
export type NextMove = "end" | "continue" | { say: string; toolChoice?: ToolChoice }

/**
 * Calls the model in a loop. After each call, `onTurn` decides how to continue. If the call used no tools, `onTurn`
 * must either end the loop or send a message. Returns true if `onTurn` ended the loop, and false if `maxCalls` was
 * reached.
 */
export async function runLoop(
  context: HarnessContext,
  loop: {
    system: string
    conversation: Conversation
    tools: Tool[]
    maxCalls: number
    onTurn(turn: Turn): Promise<NextMove>
  },
): Promise<boolean> {
  const { system, conversation, tools, maxCalls, onTurn } = loop
  let toolChoice: ToolChoice | undefined
  for (let callsLeft = maxCalls - 1; callsLeft >= 0; callsLeft--) {
    const messages = shortenToRoom(conversation.messages, await roomForMessages(context, { system, tools }))
    const completion = await callModel(context, { system, messages, tools, toolChoice })
    conversation.addCompletion(completion)
    const usedTools = completion.toolCalls.length > 0
    const results = usedTools ? await runTools(context, tools, completion) : []
    if (usedTools) conversation.addToolResults(results)
    const move = await onTurn({ completion, usedTools, refusals: refusalsIn(results), callsLeft })
    if (move === "end") return true
    toolChoice = move === "continue" ? undefined : move.toolChoice
    if (move !== "continue") conversation.addUserMessage(move.say)
  }
  return false
}

/** Returns the results of failed tool calls. */
export function refusalsIn(results: readonly ToolMessage[]): string[] {
  return results.flatMap(({ content, isError }) => (isError ? [content] : []))
}
