import type { Cloud } from "./cloud.ts"
import type { startModel } from "./model.ts"

export interface Stage {
  cloud: Cloud
  model: Awaited<ReturnType<typeof startModel>>
}

/** By their names. Each plays in a workspace of its own, on the same installation. */
export type Scenarios = Record<string, (stage: Stage) => Promise<void>>
