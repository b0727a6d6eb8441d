import { priceList } from "./price-list.ts"
import { bedrockIdOf } from "./providers/bedrock.ts"
import type { ListPrice, ProviderFacts } from "./providers/provider-facts.ts"
import { modelProviders } from "./providers/providers.ts"

/**
 * Returns a model's price. Takes the provider's own model name, with or without a date. Undefined if the price is
 * unknown.
 */
export function priceOf(provider: string, model: string): ListPrice | undefined {
  const id = provider === "bedrock" ? (bedrockIdOf(model) ?? "") : model
  const undated = id.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "")
  const prices = Object.hasOwn(priceList, provider) ? priceList[provider] : undefined
  return prices && Object.hasOwn(prices, undated) ? prices[undated] : undefined
}

/** Returns true if a limit in dollars covers this model. `name` includes the provider. The demo model costs nothing. */
export function isPriced(name: string): boolean {
  const [provider = "", ...model] = name.split("/")
  return provider === "scripted" || priceOf(provider, model.join("/")) !== undefined
}

/** Explains why a model without a price can't have a limit in dollars. */
export function unpricedText(name: string): string {
  return `No price is known for ${name}, so a limit in dollars has no effect. Limit tokens instead.`
}

/** Date of the search fees. */
export const SEARCH_FEES_AS_OF = "2026-11-27"

/**
 * Brave's list price per search in dollars ($5 per thousand). On the date above, this price was compared with a
 * third-party list. Anthropic's and OpenAI's fees ($10 per thousand; OpenAI's for the tool `web_search` with any model)
 * were compared with several guides and OpenAI's forum. Serper's fee depends on the pack that was bought, and Groq's on
 * the kind of search that it chooses, so neither is listed.
 */
const BRAVE_FEE_USD = 0.005

/** Returns the fee per search of a provider or service in dollars, or undefined if unknown. */
export function searchFeeUsd(by: string): number | undefined {
  return by === "brave" ? BRAVE_FEE_USD : factsOf(by)?.searchFeeUsd
}

function factsOf(provider: string): ProviderFacts | undefined {
  return new Map<string, ProviderFacts>(Object.entries(modelProviders)).get(provider)
}
