import type { ModelProvider } from "@switchyard/core/models/provider"
import type { Clock } from "@switchyard/core/time"

/** Pause per word, to imitate a fast model. */
const PACE_MS = 15

/** Loads `scripted/demo` on demand, because the demo and its recipes are as large as all other worker code together. */
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
