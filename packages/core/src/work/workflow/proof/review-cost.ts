import { parseModelName } from "../../../models/names.ts"
import { priceOf } from "../../../models/prices.ts"
import { outlineTokens } from "../plan/file-budget.ts"

/** Maximum cost of a review that wasn't requested. */
const SMALL_REVIEW_USD = 0.05

/** Estimated input tokens other than files, and output tokens including thinking. */
const OTHER_INPUT_TOKENS = 2_000
const OUTPUT_TOKENS = 2_000

/** Returns true if runs are reviewed by default: the model's price is known, and even its largest review is cheap. */
export function isReviewCheap(modelName: string, fileTokens: number): boolean {
  const { provider, model } = parseModelName(modelName, "general")
  const price = priceOf(provider, model)
  if (!price) return false
  const input = fileTokens + outlineTokens(fileTokens) + OTHER_INPUT_TOKENS
  return (input * price.inputUsd + OUTPUT_TOKENS * price.outputUsd) / 1_000_000 <= SMALL_REVIEW_USD
}
