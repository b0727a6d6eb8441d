import { parseModelName } from "../../../models/names.ts"
import { priceOf } from "../../../models/prices.ts"
import { outlineTokens } from "../plan/file-budget.ts"

/** A review may cost so much where nobody asked for one. */
const SMALL_REVIEW_USD = 0.05

/** Tokens around the files, and those of an answer with what a model thinks before it. */
const OTHER_INPUT_TOKENS = 2_000
const OUTPUT_TOKENS = 2_000

/** Whether a run is reviewed where nobody says so: if the model's price is known, and the largest review of it is cheap. */
export function isReviewCheap(modelName: string, fileTokens: number): boolean {
  const { provider, model } = parseModelName(modelName, "general")
  const price = priceOf(provider, model)
  if (!price) return false
  const input = fileTokens + outlineTokens(fileTokens) + OTHER_INPUT_TOKENS
  return (input * price.inputUsd + OUTPUT_TOKENS * price.outputUsd) / 1_000_000 <= SMALL_REVIEW_USD
}
