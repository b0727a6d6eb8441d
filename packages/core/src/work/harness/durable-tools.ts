import * as z from "zod"
import type { ToolKind } from "../../agents/clis/schema.ts"
import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Change } from "../../files/workspaces/manifest.ts"
import type { ToolCall, ToolSpec } from "../../models/provider.ts"
import type { SessionState } from "../../state.ts"
import { invalidArguments } from "./tools.ts"

/** Result of a call as shown to the model, with events to append together with the result. */
export interface Decided {
  answer: string
  events?: NewEvent[]
  /** Sequence numbers of the events that the answer reports, which no longer count as unread. */
  tells?: number[]
}

/**
 * Effect of a call. It is appended together with the call's result, so that no successor repeats it. It is either
 * decided from the session's state when the result is appended, or fixed when the call begins. Only a fixed effect may
 * change the session's files.
 */
export type Effect = { decide(state: SessionState): Decided | AppError } | Known

/** An effect that is fixed when the call begins. The session's state can only cause it to be refused. */
export interface Known extends Decided {
  changes?: Change[]
  refusal?(state: SessionState): AppError | undefined
}

/** A tool whose calls affect the session. */
export interface DurableTool extends ToolSpec {
  kind: ToolKind
  /** Determines the effect of a call. Throws an `AppError` for mistakes by the model. */
  call(call: ToolCall, options: { signal: AbortSignal }): Promise<Effect>
}

/** Defines a tool. `run` receives parsed arguments. */
export function defineDurableTool<Args extends z.ZodObject>(tool: {
  name: string
  description: string
  parameters: Args
  kind?: ToolKind
  run(args: z.infer<Args>, options: { signal: AbortSignal; call: ToolCall }): Effect | Promise<Effect>
}): DurableTool {
  const { name, description, parameters, kind = "other" } = tool
  return {
    ...{ name, description, parameters, kind },
    async call(call, options) {
      if (call.args === undefined) throw mistake(invalidArguments(call.rawArguments))
      const parsed = parameters.safeParse(call.args)
      if (!parsed.success) throw mistake(z.prettifyError(parsed.error))
      return tool.run(parsed.data, { ...options, call })
    },
  }
}

export function mistake(message: string): AppError {
  return new AppError("validation_error", message)
}

const MAX_ANSWER_CHARS = 30_000

/** Cuts the middle out of a long answer, and adds a hint on how to read the rest. */
export function cutMiddle(answer: string, howToReadMore: string, maxChars = MAX_ANSWER_CHARS): string {
  if (answer.length <= maxChars) return answer
  const half = maxChars / 2
  const left = answer.length - maxChars
  return `${answer.slice(0, half)}\n[… ${left} characters left out. ${howToReadMore} …]\n${answer.slice(-half)}`
}
