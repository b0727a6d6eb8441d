import type { NewEvent } from "../../events.ts"
import type { NewId } from "../../ids.ts"
import type { ModelProvider } from "../../models/provider.ts"
import type { Clock } from "../../time.ts"
import type { Speaker } from "../runs/run-writer.ts"

/** A model and the place in a run's log in which it speaks: all that the harness needs of its surroundings. */
export interface HarnessContext {
  provider: ModelProvider
  /** The provider's own name of the model. */
  model: string
  /** The model as the log names it: `provider/model`. */
  modelName: string
  clock: Clock
  newId: NewId
  signal: AbortSignal
  /** Added to every event: the node's visit, where there is one. */
  speaker: Speaker
  /** Logs a piece of the model's text, gathered with others. */
  emitText(piece: string): void
  /** Appends events, after the text that came before them. */
  write(events: NewEvent[]): Promise<void>
  /** Waits for something with time limits of its own, such as a model's answer. */
  outside<T>(task: () => Promise<T>): Promise<T>
}
