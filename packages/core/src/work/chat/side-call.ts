import { AppError, type ErrorCode } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import { ModelError } from "../../models/errors.ts"
import type { CallSize, RunContext } from "../runs/run-context.ts"
import type { ChatDeps } from "./turn/turn.ts"

type Caller = Pick<RunContext<unknown>, "apiKey" | "signal" | "reserveBudget" | "write" | "awaitExternal">

/** Prepares a model call outside a conversation. Nothing of it becomes part of the conversation. */
export function sideCall(
  deps: Pick<ChatDeps, "clock" | "newId" | "openModel">,
  context: Caller,
  { chatId, modelName, purpose }: { chatId: string; modelName: string; purpose: string },
) {
  const { clock, newId } = deps
  return {
    ...{ ...deps.openModel(modelName, context.apiKey), modelName, clock, newId, signal: context.signal, nodeRef: {} },
    cacheKey: `${chatId}/${purpose}`,
    ...{ emitText: () => {}, emitFileText: () => {}, emitReasoning: () => {} },
    beforeCall: (size: () => CallSize) => context.reserveBudget(size),
    write: (events: NewEvent[]) => context.write(events),
    awaitExternal: <T>(task: () => Promise<T>) => context.awaitExternal(task),
  }
}

const CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["workflow_error", "invalid_request", "budget_reached"])

/** True if the model failed or gave no answer, so that a turn continues without it. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ModelError || (error instanceof AppError && CODES.has(error.code))
}
