import { isAppError } from "../../errors.ts"
import { ModelError } from "../../models/errors.ts"
import type { AnsweringModel, ModelChain, ModelDeps } from "./context.ts"

/** Creates a chain. Fallback models without a key are skipped. Fallbacks use the server's keys, never the caller's. */
export function createModelChain(
  { openModel }: Pick<ModelDeps, "openModel">,
  { provider, model, modelName }: AnsweringModel,
  substitutes: readonly string[],
): ModelChain {
  const left = substitutes.filter((name) => name !== modelName)
  let answering: AnsweringModel = { provider, model, modelName }

  function open(name: string): AnsweringModel | undefined {
    try {
      return { ...openModel(name, undefined), modelName: name }
    } catch (error) {
      if (isAppError(error, "invalid_request")) return undefined
      throw error
    }
  }

  return {
    current: () => answering,
    next(error, failed) {
      if (!(error instanceof ModelError) || error.errorType !== "connection_error") return undefined
      // Concurrent calls fail together, but only the first failure moves the chain to the next model.
      if (failed !== answering.modelName) return answering
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        const opened = open(name)
        if (!opened) continue
        answering = opened
        return answering
      }
      return undefined
    },
  }
}
