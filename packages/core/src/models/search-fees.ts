/** The day of the fees in the table. */
export const SEARCH_FEES_AS_OF = "2026-11-27"

/**
 * The list prices of one search of the web, in dollars, by who makes it, beside the tokens that its results take. On that day
 * they were compared with stored copies of public pages: Anthropic's and OpenAI's ($10 for a thousand, OpenAI's of the tool
 * `web_search` with any model) with several guides and OpenAI's forum, Brave's ($5 for a thousand) with one list by others.
 * Serper's depends on the size of the pack that was bought, and Groq's on the search that it chooses: what is not here costs
 * nobody knows what.
 */
const SEARCH_FEES_USD: ReadonlyMap<string, number> = new Map([
  ["anthropic", 0.01],
  ["openai", 0.01],
  ["brave", 0.005],
])

/** The fee of one search by a provider or a service, in dollars; undefined where it is not known. */
export function searchFeeUsd(by: string): number | undefined {
  return SEARCH_FEES_USD.get(by)
}
