import type { ModelProvider } from "@switchyard/core/models/provider"
import { systemClock } from "@switchyard/core/time"
import { createDemoModel } from "@switchyard/functions/demo-model"

/** Prompts of the session shown, and of other sessions in the list. */
export const PROMPT = "A to-do list with priorities and due dates"
export const OTHER_PROMPTS = ["A command-line tool that counts words", "A REST API for bookmarks"]

export interface StoppableDemo {
  provider: ModelProvider
  /** Makes the model wait before it writes this file. Resolves once it is waiting. */
  stopAt(path: string): Promise<void>
  /** Lets the model write the file. */
  goOn(): void
}

/** Creates the demo model with its normal pace, so that the screenshots show what newcomers see. */
export function createStoppableDemo(): StoppableDemo {
  const demo = createDemoModel(systemClock)
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let stop: string | undefined
  return {
    provider: {
      ...demo,
      async *stream(request, options) {
        if (stop !== undefined && String(request.messages[0]?.content).includes(`File: ${stop}\n`)) {
          reached.resolve()
          await released.promise
        }
        yield* demo.stream(request, options)
      },
    },
    stopAt(path) {
      stop = path
      return reached.promise
    },
    goOn: released.resolve,
  }
}
