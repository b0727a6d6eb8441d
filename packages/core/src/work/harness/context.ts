import type { NewEvent } from "../../events.ts"
import type { NewId } from "../../ids.ts"
import type { ModelProvider } from "../../models/provider.ts"
import type { SharedPause } from "../../models/shared-pause.ts"
import type { Clock } from "../../time.ts"
import type { CallSize, RunContext } from "../runs/run-context.ts"
import type { FileText, NodeRef } from "../runs/run-writer.ts"

/** A model, with the run and node that log its events. */
export interface HarnessContext {
  provider: ModelProvider
  /** The provider's own name for the model. */
  model: string
  /** Name of the model in the log: `provider/model`. */
  modelName: string
  clock: Clock
  newId: NewId
  signal: AbortSignal
  /** The node's visit, if any. Added to every event. */
  nodeRef: NodeRef
  /** File that this visit writes, if known in advance. */
  filePath?: string
  /** Same for requests with a common beginning, so that providers can route them to its cache. */
  cacheKey: string
  /**
   * Runs before each call. If it throws, the call isn't made. Returns a function to run once the call's usage is in the
   * log.
   */
  beforeCall?(size: () => CallSize): Promise<() => Promise<void>>
  /** Shared by concurrent calls, which reach the provider's limit together. */
  pause?: SharedPause
  /** Emits a piece of the model's text, buffered. */
  emitText(piece: string): void
  /** Emits a part of a file's text while the model writes it, buffered. */
  emitFileText(part: FileText): void
  /** Emits the number of reasoning characters of this call. */
  emitReasoning(chars: number): void
  /** Appends events after the buffered text. */
  write(events: NewEvent[]): Promise<void>
  /** Runs a task with its own time limits, such as a model call, which may be silent for minutes. */
  awaitExternal<T>(task: () => Promise<T>): Promise<T>
}

export interface ModelDeps extends Pick<HarnessContext, "clock" | "newId"> {
  /** Throws `invalid_request` for an unknown model, or one without a key. */
  openModel(name: string, apiKey: string | undefined): Pick<HarnessContext, "provider" | "model">
}

/** Part of a run that calls of its model use. */
export type CallingRun = Pick<RunContext<unknown>, "apiKey" | "signal" | "reserveBudget" | "write" | "awaitExternal">

/** Creates the context of a run's calls of a model. Streams nothing: callers replace the functions that emit. */
export function createHarness(
  { clock, newId, openModel }: ModelDeps,
  context: CallingRun,
  { modelName, cacheKey }: Pick<HarnessContext, "modelName" | "cacheKey">,
): HarnessContext {
  return {
    ...{ ...openModel(modelName, context.apiKey), modelName, cacheKey, clock, newId },
    ...{ signal: context.signal, nodeRef: {} },
    ...{ emitText: () => {}, emitFileText: () => {}, emitReasoning: () => {} },
    write: (events) => context.write(events),
    awaitExternal: (task) => context.awaitExternal(task),
    beforeCall: (size) => context.reserveBudget(size),
  }
}

/** True if the provider searches the web while the model answers, so that no tool of ours has to. */
export function searchesItself({ provider, model }: Pick<HarnessContext, "provider" | "model">): boolean {
  return provider.searchesWeb?.(model) ?? false
}
