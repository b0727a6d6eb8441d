import * as z from "zod"
import { NamedPage, toSource, type WebSearch } from "./web-search.ts"

const Item = z.object({
  type: z.string(),
  status: z.string().optional(),
  action: z
    .object({
      type: z.string().nullish(),
      query: z.string().nullish(),
      queries: z.array(z.string()).nullish(),
      url: z.string().nullish(),
      sources: z.array(NamedPage).nullish(),
    })
    .optional()
    .catch(undefined),
  content: z
    .array(z.object({ annotations: z.array(NamedPage).nullish().catch(null) }))
    .nullish()
    .catch(null),
})

/**
 * Returns the searches in a response's items. Only cited pages have titles. Cited pages that no search lists as a
 * source are added to the last search. Opening and scanning pages is free, so only searches have a fee.
 */
export function openAiSearches(items: readonly unknown[]): WebSearch[] {
  const parsed = z.array(Item).parse(items)
  const notes = parsed.flatMap(({ content }) => (content ?? []).flatMap(({ annotations }) => annotations ?? []))
  const cited = new Map(notes.filter(({ url }) => url !== "").map((page) => [plainUrl(page.url), page]))
  const searches = parsed
    .filter(({ type }) => type === "web_search_call")
    .map(({ action, status }): WebSearch => {
      const query = action?.query ?? action?.queries?.join("; ") ?? action?.url ?? ""
      const pages = (action?.sources ?? []).map(({ url }) => cited.get(plainUrl(url)) ?? { url, title: null })
      const sources = pages.map((page) => toSource(page, cited.has(plainUrl(page.url))))
      const isFailed = status === "failed"
      const hasFee = !isFailed && (action?.type ?? "search") === "search"
      return { query, sources, hasFee, ...(isFailed && { error: status }) }
    })
  const found = new Set(searches.flatMap(({ sources }) => sources.map(({ url }) => url)))
  const others = [...cited.values()].filter(({ url }) => !found.has(url)).map((page) => toSource(page, true))
  searches.at(-1)?.sources.push(...others)
  return searches
}

/** Removes the `utm_source` parameter that OpenAI adds to cited URLs. */
function plainUrl(url: string): string {
  return url.replace(/[?&]utm_source=(openai|chatgpt\.com)$/, "")
}
