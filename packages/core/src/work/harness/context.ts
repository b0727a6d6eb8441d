import type { NewEvent } from "../../events.ts"
import type { NewId } from "../../ids.ts"
import type { ModelProvider } from "../../models/provider.ts"
import type { SharedPause } from "../../models/shared-pause.ts"
import type { Clock } from "../../time.ts"
import type { CallSize, RunContext } from "../runs/run-context.ts"
import type { FileText, NodeRef } from "../runs/run-writer.ts"

/** A model to call, and how to log its events to the run. */
export interface HarnessContext {
  provider: ModelProvider
  /** The provider's own name for the model. */
  model: string
  /** `provider/model`, as in the log. */
  modelName: string
  /** Models that take over if the provider is down. */
  chain?: ModelChain
  clock: Clock
  newId: NewId
  signal: AbortSignal
  /** The node visit, if any. Added to every event. */
  nodeRef: NodeRef
  /** File written by this visit, if known in advance. */
  filePath?: string
  /** Identical for requests with a common prefix, so that providers can route them to the same prompt cache. */
  cacheKey: string
  /**
   * Runs before each call. If it throws, the call isn't made. Returns a function to call once the usage is in the log.
   */
  beforeCall?(size: () => CallSize): Promise<() => Promise<void>>
  /** Shared by concurrent calls, because they hit the provider's rate limit together. */
  pause?: SharedPause
  /** Buffers and emits a piece of the model's text. */
  emitText(piece: string): void
  /** Buffers and emits part of a file's text while the model is writing it. */
  emitFileText(part: FileText): void
  /** Emits the number of reasoning characters in this call so far. */
  emitReasoning(chars: number): void
  /** Appends events after the buffered text. */
  write(events: NewEvent[]): Promise<void>
  /**
   * Runs a task that has its own time limits, such as a model call. Minutes without progress then don't count as
   * hanging.
   */
  awaitExternal<T>(task: () => Promise<T>): Promise<T>
}

export type AnsweringModel = Pick<HarnessContext, "provider" | "model" | "modelName">

/** A run's model and its substitutes, in order. Calls of the run share it. */
export interface ModelChain {
  /** Returns the model that answers now. */
  current(): AnsweringModel
  /**
   * Returns the model to ask instead of `failed`, for this call and all later ones. Undefined if the error isn't an
   * outage of the provider, or if there is no other model.
   */
  next(error: unknown, failed: string): AnsweringModel | undefined
}

export interface ModelDeps extends Pick<HarnessContext, "clock" | "newId"> {
  /** Throws `invalid_request` if the model is unknown or has no key. */
  openModel(name: string, apiKey: string | undefined): Pick<HarnessContext, "provider" | "model">
}

/** The part of a run's context needed for model calls. */
export type CallingRun = Pick<RunContext<unknown>, "apiKey" | "signal" | "reserveBudget" | "write" | "awaitExternal">

/** Creates the context for a run's model calls. Doesn't stream unless callers replace the emit functions. */
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

/** Returns true if the provider itself can search the web while the model answers, so that we needn't offer a tool. */
export function searchesItself({ provider, model }: Pick<HarnessContext, "provider" | "model">): boolean {
  return provider.searchesWeb?.(model) ?? false
}
