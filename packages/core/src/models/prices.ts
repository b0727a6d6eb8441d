import type { Price, ProviderFacts } from "./providers/provider-facts.ts"
import { modelProviders } from "./providers/providers.ts"

/** Date of the providers' list prices. */
export const PRICES_AS_OF = "2025-11-30"

/**
 * The providers' list prices are of November 2025. On 25 November 2026, the cache prices were compared with stored
 * copies of public pages. Anthropic's were checked against its price list
 * (docs.anthropic.com/en/docs/about-claude/pricing, for the factors 0.1 and 1.25) and a copy of a later table. OpenAI's
 * were checked against three price lists by others. One of them had gpt-5 at half the usual price, and only one listed
 * gpt-4.1. Groq has no prices, because its free tier has limits instead.
 */

/** Returns the price of a model by its provider's own name, with or without a date. Undefined if unknown. */
export function priceOf(provider: string, model: string): Price | undefined {
  const undated = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "")
  return new Map(Object.entries(factsOf(provider)?.prices ?? {})).get(undated)
}

/** Date of the search fees. */
export const SEARCH_FEES_AS_OF = "2026-11-27"

/**
 * List price of one search by Brave in dollars, $5 per thousand. On the date above, it was compared with a list by
 * others, and Anthropic's and OpenAI's fees ($10 per thousand, OpenAI's for the tool `web_search` with any model) with
 * several guides and OpenAI's forum. Serper's fee depends on the purchased pack, and Groq's on the search that it
 * chooses.
 */
const BRAVE_FEE_USD = 0.005

/** Returns the fee of one search by a provider or service in dollars, or undefined if unknown. */
export function searchFeeUsd(by: string): number | undefined {
  return by === "brave" ? BRAVE_FEE_USD : factsOf(by)?.searchFeeUsd
}

function factsOf(provider: string): ProviderFacts | undefined {
  return new Map<string, ProviderFacts>(Object.entries(modelProviders)).get(provider)
}
