import type { ModelProvider } from "@switchyard/core/models/provider"
import type { Clock } from "@switchyard/core/time"

/** A word takes the demo as long as it takes a quick model. */
const PACE_MS = 15

/** `scripted/demo`, loaded when it is first asked: with its recipes it is as large as the rest of a worker's own code. */
export function createDemoModel(clock: Clock): ModelProvider {
  return {
    name: "scripted",
    async *stream(request, options) {
      const { createDemoProvider } = await import("@switchyard/demo-model")
      const sleep = (ms: number, signal: AbortSignal) => clock.sleep(ms, { signal })
      yield* createDemoProvider({ paceMs: PACE_MS, sleep }).stream(request, options)
    },
  }
}
