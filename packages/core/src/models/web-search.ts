import * as z from "zod"

/** A page that a search found. */
export interface WebSource {
  url: string
  title: string
  /** True if the answer cites the page. */
  isCited: boolean
}

/** A search that the provider made while its model was answering. */
export interface WebSearch {
  query: string
  sources: WebSource[]
  /** True if the provider charges for the search. */
  hasFee: boolean
  /** The provider's error code, if the search failed. */
  error?: string
}

export interface WebSearchSettings {
  /** Maximum number of searches per answer (default: 5). */
  maxUses?: number
  /** Type of Anthropic's search tool, including its version. */
  anthropicTool?: string
}

export const DEFAULT_MAX_SEARCHES = 5

/** A page in a provider's answer. The URL is empty if the provider didn't send one. */
export const NamedPage = z.object({ url: z.string().catch(""), title: z.string().nullish().catch(null) })
export type NamedPage = z.infer<typeof NamedPage>

export function toSource({ url, title }: NamedPage, isCited: boolean): WebSource {
  return { url, title: title || url, isCited }
}
