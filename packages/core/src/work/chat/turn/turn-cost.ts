import type { ProviderId } from "../../../models/names.ts"
import { priceOf } from "../../../models/prices.ts"
import type { TurnUsage } from "../schema.ts"

/**
 * Returns the list price of a turn's answer in dollars, with cached tokens at their own price. Null if the provider
 * counted nothing, or the model's price is unknown.
 */
export function turnCost(usage: TurnUsage, modelName: string): number | null {
  const { input, output, cache_read, cache_write } = usage
  const slash = modelName.indexOf("/")
  const price = priceOf(modelName.slice(0, slash) as ProviderId, modelName.slice(slash + 1))
  if (!price || input === null || output === null) return null
  const cached = (cache_read ?? 0) * price.cacheRead + (cache_write ?? 0) * price.cacheWrite
  return ((input + cached) * price.inputUsd + output * price.outputUsd) / 1_000_000
}
