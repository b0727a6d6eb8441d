import { AppError, type ErrorCode } from "../../errors.ts"
import { ModelError } from "../../models/errors.ts"
import type { ChatDeps, Turn } from "./turn/turn.ts"

/** Prepares a call of a model beside a turn's conversation, of which nothing becomes part of that. */
export function sideCall(deps: ChatDeps, { context, journal }: Turn, modelName: string, purpose: string) {
  const { clock, newId } = deps
  return {
    ...{ ...deps.openModel(modelName, context.apiKey), modelName, clock, newId, signal: context.signal, nodeRef: {} },
    cacheKey: `${journal.asked.chat_id}/${purpose}`,
    ...{ emitText: () => {}, emitFileText: () => {}, emitReasoning: () => {} },
    beforeCall: () => context.requireBudget(),
    write: (events: Parameters<typeof context.write>[0]) => context.write(events),
    awaitExternal: <T>(task: () => Promise<T>) => context.awaitExternal(task),
  }
}

const CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["workflow_error", "invalid_request", "budget_reached"])

/** Whether the model could not be asked, or gave no answer: a turn goes on without. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ModelError || (error instanceof AppError && CODES.has(error.code))
}
