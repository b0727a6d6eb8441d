import type { Price, ProviderFacts } from "./providers/provider-facts.ts"
import { modelProviders } from "./providers/providers.ts"

/** Date of the list prices. */
export const PRICES_AS_OF = "2025-11-30"

/**
 * The list prices are from November 2025. On 25 November 2026, the cache prices were compared with stored copies of
 * public pages. Anthropic's were checked against its price list (docs.anthropic.com/en/docs/about-claude/pricing, for
 * the factors 0.1 and 1.25) and a copy of a later table. OpenAI's were checked against three third-party price lists.
 * One of them listed gpt-5 at half the usual price, and only one listed gpt-4.1. Groq has no prices here, because its
 * free tier is limited by rate, not cost.
 */

/** Returns a model's price by the provider's own model name, with or without a date, or undefined if unknown. */
export function priceOf(provider: string, model: string): Price | undefined {
  const undated = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "")
  return new Map(Object.entries(factsOf(provider)?.prices ?? {})).get(undated)
}

/** Date of the search fees. */
export const SEARCH_FEES_AS_OF = "2026-11-27"

/**
 * Brave's list price per search in dollars ($5 per thousand). On the date above, this price was compared with a
 * third-party list. Anthropic's and OpenAI's fees ($10 per thousand; OpenAI's for the tool `web_search` with any model)
 * were compared with several guides and OpenAI's forum. Serper's fee depends on the purchased pack, and Groq's on the
 * kind of search it chooses, so neither is listed.
 */
const BRAVE_FEE_USD = 0.005

/** Returns the fee per search of a provider or service in dollars, or undefined if unknown. */
export function searchFeeUsd(by: string): number | undefined {
  return by === "brave" ? BRAVE_FEE_USD : factsOf(by)?.searchFeeUsd
}

function factsOf(provider: string): ProviderFacts | undefined {
  return new Map<string, ProviderFacts>(Object.entries(modelProviders)).get(provider)
}
