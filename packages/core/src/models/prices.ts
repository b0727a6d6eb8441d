import { priceList } from "./price-list.ts"
import type { Price, ProviderFacts } from "./providers/provider-facts.ts"
import { modelProviders } from "./providers/providers.ts"

/** Returns a model's price by the provider's own model name, with or without a date, or undefined if unknown. */
export function priceOf(provider: string, model: string): Price | undefined {
  const undated = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "")
  const prices = Object.hasOwn(priceList, provider) ? priceList[provider] : undefined
  return prices && Object.hasOwn(prices, undated) ? prices[undated] : undefined
}

/** Returns true if a limit in dollars covers this model. `name` includes the provider. The demo costs nothing. */
export function isPriced(name: string): boolean {
  const [provider = "", ...model] = name.split("/")
  return provider === "scripted" || priceOf(provider, model.join("/")) !== undefined
}

/** Explains why a limit in dollars can't be set for a model without a price. */
export function unpricedText(name: string): string {
  return `The price of ${name} is unknown, so a limit in dollars has no effect. Set a limit in tokens instead.`
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
