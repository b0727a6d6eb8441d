import type { NewEvent } from "../../events.ts"
import type { ImageRef } from "../../files/images/schema.ts"
import type { NewId } from "../../ids.ts"
import type { ModelProvider } from "../../models/provider.ts"
import type { SharedPause } from "../../models/shared-pause.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Clock } from "../../time.ts"
import type { CallSize, RunContext } from "../runs/run-context.ts"
import type { FileText, NodeRef } from "../runs/run-writer.ts"
import { createImageReader } from "./images.ts"
import { createPromptLimits, type PromptLimits } from "./prompt-limits.ts"

/** A model to call, with functions that log its events to the run. */
export interface HarnessContext {
  provider: ModelProvider
  /** Name of the model at its provider. */
  model: string
  /** Model as `provider/model`, as in the log. */
  modelName: string
  /** Models that take over if the provider is down. */
  chain?: ModelChain
  clock: Clock
  newId: NewId
  signal: AbortSignal
  /** The node visit, if any, which is added to every event. */
  nodeRef: NodeRef
  /** File written by this visit, if known in advance. */
  filePath?: string
  /**
   * Same value for all requests that share a prefix. Providers use it to route these requests to the same prompt cache.
   */
  cacheKey: string
  /**
   * Runs before each call, and can prevent the call by throwing. Returns a function to call once the usage is in the
   * log.
   */
  beforeCall?(size: () => CallSize): Promise<() => Promise<void>>
  /** Reads an image's bytes as base64. Throws `not_found` if the image is no longer stored. */
  readImage(image: ImageRef): Promise<string>
  /** Prompt limits learned from the provider's responses. Shared by all calls of the run. */
  limits: PromptLimits
  /**
   * Pause for rate limits. Shared by concurrent calls, because the provider's rate limit applies to all of them
   * together.
   */
  pause?: SharedPause
  /** Called when the provider begins its response. From then on, the provider's cache contains the prompt. */
  onAccepted?: (() => void) | undefined
  /** Buffers and emits a piece of the model's text. */
  emitText(piece: string): void
  /** Buffers and emits a piece of a file's text while the model is writing it. */
  emitFileText(part: FileText): void
  /** Emits the number of characters that the model has reasoned so far in this call. */
  emitReasoning(chars: number): void
  /** Appends the buffered text, and then these events. */
  write(events: NewEvent[]): Promise<void>
  /**
   * Runs a task that has its own time limits, such as a model call. During the task, a lack of progress doesn't count
   * as hanging.
   */
  awaitExternal<T>(task: () => Promise<T>): Promise<T>
}

export type AnsweringModel = Pick<HarnessContext, "provider" | "model" | "modelName">

/** A run's model and its fallback models, in order. Shared by all calls of the run. */
export interface ModelChain {
  current(): AnsweringModel
  /**
   * Returns the model to use instead of `failed`, for this call and all later ones. Undefined if the error isn't an
   * outage of the provider, or if no other model is left.
   */
  next(error: unknown, failed: string): AnsweringModel | undefined
}

export interface ModelDeps extends Pick<HarnessContext, "clock" | "newId"> {
  blobs: Blobs
  /** Throws `invalid_request` if the model is unknown or has no key. */
  openModel(name: string, apiKey: string | undefined): Pick<HarnessContext, "provider" | "model">
}

/** The part of a run's context needed for model calls. */
export type CallingRun = Pick<
  RunContext<unknown>,
  "sid" | "state" | "apiKey" | "signal" | "reserveBudget" | "write" | "awaitExternal"
>

/** Creates the context for a run's model calls. Nothing is streamed unless the caller replaces the emit functions. */
export function createHarness(
  { clock, newId, blobs, openModel }: ModelDeps,
  context: CallingRun,
  { modelName, cacheKey }: Pick<HarnessContext, "modelName" | "cacheKey">,
): HarnessContext {
  return {
    ...{ ...openModel(modelName, context.apiKey), modelName, cacheKey, clock, newId },
    ...{ signal: context.signal, nodeRef: {}, limits: createPromptLimits() },
    ...{ emitText: () => {}, emitFileText: () => {}, emitReasoning: () => {} },
    write: (events) => context.write(events),
    awaitExternal: (task) => context.awaitExternal(task),
    beforeCall: (size) => context.reserveBudget(size),
    readImage: createImageReader(blobs, context),
  }
}

/** Returns true if the provider itself can search the web while the model answers, so that no search tool is needed. */
export function searchesItself({ provider, model }: Pick<HarnessContext, "provider" | "model">): boolean {
  return provider.searchesWeb?.(model) ?? false
}
