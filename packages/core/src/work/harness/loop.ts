import type { Completion } from "../../models/provider.ts"
import { askModel } from "./ask-model.ts"
import type { HarnessContext } from "./context.ts"
import type { Conversation } from "./conversation.ts"
import { runTools } from "./run-tools.ts"
import type { Tool } from "./tools.ts"

/** A moment in which the model calls no tool, or has used up its calls. */
export interface Pause {
  completion: Completion
  /** False where the model would go on using tools, had it calls left. */
  isDone: boolean
  callsLeft: number
}

/**
 * Asks the model again and again: while it calls tools, it hears their results; when it pauses, `onPause` says how the
 * conversation goes on, or ends it with undefined. Resolves to whether it was ended; false means that the calls were used up.
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
    const completion = await askModel(context, { system, messages: conversation.messages, tools })
    conversation.answer(completion)
    const isDone = completion.toolCalls.length === 0
    if (!isDone) conversation.results(await runTools(context, tools, completion))
    if (!isDone && callsLeft > 0) continue
    const reply = await onPause({ completion, isDone, callsLeft })
    if (reply === undefined) return true
    conversation.say(reply)
  }
  return false
}
