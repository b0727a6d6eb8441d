import type { Cloud } from "./cloud.ts"
import type { startModel } from "./model.ts"

export interface Stage {
  cloud: Cloud
  model: Awaited<ReturnType<typeof startModel>>
}

/** Scenarios by name. They play on the same installation, each in its own workspace. */
export type Scenarios = Record<string, (stage: Stage) => Promise<void>>
