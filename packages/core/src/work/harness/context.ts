import type { NewEvent } from "../../events.ts"
import type { NewId } from "../../ids.ts"
import type { ModelProvider } from "../../models/provider.ts"
import type { SharedPause } from "../../models/shared-pause.ts"
import type { Clock } from "../../time.ts"
import type { CallSize } from "../runs/run-context.ts"
import type { FileText, NodeRef } from "../runs/run-writer.ts"

/** A model, and the run and node whose log its events belong to. */
export interface HarnessContext {
  provider: ModelProvider
  /** The provider's own name of the model. */
  model: string
  /** The model as the log names it: `provider/model`. */
  modelName: string
  clock: Clock
  newId: NewId
  signal: AbortSignal
  /** Added to every event: the visit of a node, where there is one. */
  nodeRef: NodeRef
  /** The file that this visit writes, where it is known beforehand. */
  filePath?: string
  /** Names requests that begin alike, for providers that route them to where the beginning is cached. */
  cacheKey: string
  /** Called before each call, which isn't made if it throws. Resolves to what is called once the call's usage is in the log. */
  beforeCall?(size: () => CallSize): Promise<() => Promise<void>>
  /** Shared by calls that are made side by side, and so meet the provider's limit together. */
  pause?: SharedPause
  /** Emits a piece of the model's text, buffered with others. */
  emitText(piece: string): void
  /** Emits a part of a file's text while the model writes it, buffered with others. */
  emitFileText(part: FileText): void
  /** Emits how many characters the model has thought in this call. */
  emitReasoning(chars: number): void
  /** Appends events, after the text that came before them. */
  write(events: NewEvent[]): Promise<void>
  /** Runs a task with time limits of its own, such as a model call, which may be silent for minutes. */
  awaitExternal<T>(task: () => Promise<T>): Promise<T>
}

/** Whether the provider searches the web while the model answers, so that no tool of ours has to. */
export function searchesItself({ provider, model }: Pick<HarnessContext, "provider" | "model">): boolean {
  return provider.searchesWeb?.(model) ?? false
}
