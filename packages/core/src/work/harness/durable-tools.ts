import * as z from "zod"
import type { ToolKind } from "../../agents/clis/schema.ts"
import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Change } from "../../files/workspaces/manifest.ts"
import type { ToolCall, ToolSpec } from "../../models/provider.ts"
import type { SessionState } from "../../state.ts"

/** The result of a call as the model reads it, and the call's events. */
export interface Decided {
  answer: string
  events?: NewEvent[]
  /** `seq` of the events that the answer reports. They are no longer news. */
  tells?: number[]
}

/**
 * The effect of a call, appended together with its result so that no successor repeats it. It is decided on the
 * session's state at that moment, or known already, possibly with changes to the session's files.
 */
export type Effect = { decide(state: SessionState): Decided | AppError } | Known

/** An effect that the state can refuse but not otherwise change. */
export interface Known extends Decided {
  changes?: Change[]
  refusal?(state: SessionState): AppError | undefined
}

/** A tool whose calls have effects in the session. */
export interface DurableTool extends ToolSpec {
  kind: ToolKind
  /** Works out the effect of one call. Throws an `AppError` for a mistake of the model. */
  call(call: ToolCall, options: { signal: AbortSignal }): Promise<Effect>
}

/** Defines a tool. Arguments are parsed before `run` receives them. */
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
      if (call.args === undefined) throw mistake("The arguments are not complete, valid JSON.")
      const parsed = parameters.safeParse(call.args)
      if (!parsed.success) throw mistake(z.prettifyError(parsed.error))
      return tool.run(parsed.data, { ...options, call })
    },
  }
}

export function mistake(message: string): AppError {
  return new AppError("validation_error", message)
}

/** Limit of a tool's answer to a model. */
const MAX_ANSWER_CHARS = 30_000

/** Shortens a long answer by its middle, and adds how to read that. */
export function cutMiddle(answer: string, howToReadMore: string, maxChars = MAX_ANSWER_CHARS): string {
  if (answer.length <= maxChars) return answer
  const half = maxChars / 2
  const left = answer.length - maxChars
  return `${answer.slice(0, half)}\n[… ${left} characters left out. ${howToReadMore} …]\n${answer.slice(-half)}`
}
