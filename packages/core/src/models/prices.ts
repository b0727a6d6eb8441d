import type { ProviderId } from "./names.ts"

/** In dollars for a million tokens. */
export interface Price {
  inputUsd: number
  outputUsd: number
  /** Of input that comes from a cache, as a part of the usual price, and of input that is written to one for five minutes. */
  cacheRead: number
  cacheWrite: number
}

/** The day of the list prices in the table. */
export const PRICES_AS_OF = "2025-11-30"

/**
 * The providers' list prices of November 2025, by the model's name without a date. On 25 November 2026, those for caches were
 * compared with stored copies of public pages: of Anthropic's price list (docs.anthropic.com/en/docs/about-claude/pricing, for
 * the rule of 0.1 and 1.25) and a copy of its later table; of OpenAI's with price lists that others wrote down, one of which
 * (of three) had gpt-5's at half the usual price; gpt-4.1's were in one only.
 * Groq's are not here: what its free tier has are limits. A model that is not here costs nobody knows what.
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

/** The price of a model by its provider's own name, with a date behind it or without; undefined where it is not known. */
export function priceOf(provider: ProviderId, model: string): Price | undefined {
  const undated = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "")
  return new Map(Object.entries(PRICES[provider] ?? {})).get(undated)
}
