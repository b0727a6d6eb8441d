import type { Completion, ToolChoice } from "../../models/provider.ts"
import { callModel } from "./call-model.ts"
import type { HarnessContext } from "./context.ts"
import type { Conversation } from "./conversation.ts"
import { runTools } from "./run-tools.ts"
import type { Tool } from "./tools.ts"

/** One call of the model, whose tools, if it called any, have answered. */
export interface Turn {
  completion: Completion
  usedTools: boolean
  /** The answers of tools that could not do what they were called for. */
  refusals: string[]
  callsLeft: number
}

/** The move after a turn: the next call, after a message if there is one to send, or the end of the loop. */
export type NextMove = "end" | "continue" | { say: string; toolChoice?: ToolChoice }

/**
 * Calls the model in a loop; `onTurn` decides after each call, and must have something to say after one without tools.
 * Resolves to whether it ended the loop; false means that the calls were used up.
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
    const completion = await callModel(context, { system, messages: conversation.messages, tools, toolChoice })
    conversation.addCompletion(completion)
    const usedTools = completion.toolCalls.length > 0
    const results = usedTools ? await runTools(context, tools, completion) : []
    if (usedTools) conversation.addToolResults(results)
    const refusals = results.flatMap(({ content, isError }) => (isError ? [content] : []))
    const move = await onTurn({ completion, usedTools, refusals, callsLeft })
    if (move === "end") return true
    toolChoice = move === "continue" ? undefined : move.toolChoice
    if (move !== "continue") conversation.addUserMessage(move.say)
  }
  return false
}
