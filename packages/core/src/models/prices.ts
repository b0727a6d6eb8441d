import type { ProviderId } from "./names.ts"

/** Dollars per million tokens. */
export interface Price {
  inputUsd: number
  outputUsd: number
  /** Price of cached input, and of input written to a cache for five minutes, as a fraction of the usual price. */
  cacheRead: number
  cacheWrite: number
}

/** Date of the list prices in the table. */
export const PRICES_AS_OF = "2025-11-30"

/**
 * The providers' list prices of November 2025, by model name without a date. On 25 November 2026, the cache prices were
 * compared with stored copies of public pages. Anthropic's were checked against its price list
 * (docs.anthropic.com/en/docs/about-claude/pricing, for the factors 0.1 and 1.25) and a copy of a later table. OpenAI's
 * were checked against three price lists by others. One of them had gpt-5 at half the usual price, and only one listed
 * gpt-4.1. Groq is missing, because its free tier has limits instead. The price of a model that isn't here is unknown.
 */
const PRICES: Partial<Record<ProviderId, Record<string, Price>>> = {
  anthropic: {
    "claude-haiku-4-5": { inputUsd: 1, outputUsd: 5, cacheRead: 0.1, cacheWrite: 1.25 },
    "claude-opus-4-5": { inputUsd: 5, outputUsd: 25, cacheRead: 0.1, cacheWrite: 1.25 },
    "claude-sonnet-4-5": { inputUsd: 3, outputUsd: 15, cacheRead: 0.1, cacheWrite: 1.25 },
  },
  openai: {
    "gpt-4.1": { inputUsd: 2, outputUsd: 8, cacheRead: 0.25, cacheWrite: 1 },
    "gpt-4.1-mini": { inputUsd: 0.4, outputUsd: 1.6, cacheRead: 0.25, cacheWrite: 1 },
    "gpt-4.1-nano": { inputUsd: 0.1, outputUsd: 0.4, cacheRead: 0.25, cacheWrite: 1 },
    "gpt-4o": { inputUsd: 2.5, outputUsd: 10, cacheRead: 0.5, cacheWrite: 1 },
    "gpt-4o-mini": { inputUsd: 0.15, outputUsd: 0.6, cacheRead: 0.5, cacheWrite: 1 },
    "gpt-5": { inputUsd: 1.25, outputUsd: 10, cacheRead: 0.1, cacheWrite: 1 },
    "gpt-5-mini": { inputUsd: 0.25, outputUsd: 2, cacheRead: 0.1, cacheWrite: 1 },
    "gpt-5-nano": { inputUsd: 0.05, outputUsd: 0.4, cacheRead: 0.1, cacheWrite: 1 },
  },
}

/** Returns the price of a model by its provider's own name, with or without a date. Undefined if unknown. */
export function priceOf(provider: string, model: string): Price | undefined {
  const undated = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "")
  return new Map(Object.entries(PRICES[provider as ProviderId] ?? {})).get(undated)
}
