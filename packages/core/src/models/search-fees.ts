/** Date of the fees in the table. */
export const SEARCH_FEES_AS_OF = "2026-11-27"

/**
 * List prices of one web search in dollars, without the tokens of its results. On that date, they were compared with
 * stored copies of public pages. Anthropic's and OpenAI's ($10 per thousand, OpenAI's for the tool `web_search` with
 * any model) were checked against several guides and OpenAI's forum, Brave's ($5 per thousand) against one list by
 * others. Serper's fee depends on the purchased pack, and Groq's on the search that it chooses. A fee that isn't here
 * is unknown.
 */
const SEARCH_FEES_USD: ReadonlyMap<string, number> = new Map([
  ["anthropic", 0.01],
  ["openai", 0.01],
  ["brave", 0.005],
])

/** Returns the fee of one search by a provider or service in dollars, or undefined if unknown. */
export function searchFeeUsd(by: string): number | undefined {
  return SEARCH_FEES_USD.get(by)
}
