import type { Completion } from "../../models/provider.ts"
import { callModel } from "./call-model.ts"
import type { HarnessContext } from "./context.ts"
import type { Conversation } from "./conversation.ts"
import { runTools } from "./run-tools.ts"
import type { Tool } from "./tools.ts"

/** A completion without tool calls, or the last one of the loop. */
export interface Pause {
  completion: Completion
  /** False if the model would continue to use tools, had it calls left. */
  isDone: boolean
  callsLeft: number
}

/**
 * Calls the model in a loop: while it calls tools, it gets their results; when it pauses, `onPause` returns the next message,
 * or undefined to end the loop. Resolves to whether it was ended so; false means that the calls were used up.
 */
export async function runLoop(
  context: HarnessContext,
  loop: {
    system: string
    conversation: Conversation
    tools: Tool[]
    maxCalls: number
    onPause(pause: Pause): Promise<string | undefined>
  },
): Promise<boolean> {
  const { system, conversation, tools, maxCalls, onPause } = loop
  for (let callsLeft = maxCalls - 1; callsLeft >= 0; callsLeft--) {
    const completion = await callModel(context, { system, messages: conversation.messages, tools })
    conversation.addCompletion(completion)
    const isDone = completion.toolCalls.length === 0
    if (!isDone) conversation.addToolResults(await runTools(context, tools, completion))
    if (!isDone && callsLeft > 0) continue
    const reply = await onPause({ completion, isDone, callsLeft })
    if (reply === undefined) return true
    conversation.addUserMessage(reply)
  }
  return false
}
