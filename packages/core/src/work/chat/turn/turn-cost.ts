import { priceOf } from "../../../models/prices.ts"
import { listCost } from "../../usage/cost.ts"
import { splitModelName } from "../../usage/run-usage.ts"
import type { TurnUsage } from "../schema.ts"

/**
 * Returns the cost of a turn's answer in dollars at list prices, including the separate price for cached tokens. Null
 * if the provider didn't report usage, or if the model's price is unknown.
 */
export function turnCost(usage: TurnUsage, modelName: string): number | null {
  const { provider, model } = splitModelName(modelName)
  const price = priceOf(provider, model)
  if (!price || usage.input === null || usage.output === null) return null
  return listCost(price, { tokens: usage, estimated: { input: 0, output: 0 } })
}
