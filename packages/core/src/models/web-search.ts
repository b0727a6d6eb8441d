import * as z from "zod"

/** Page found by a search. */
export interface WebSource {
  url: string
  title: string
  /** True if the answer cites the page. */
  isCited: boolean
}

/** Search made by a provider while its model answered. */
export interface WebSearch {
  query: string
  sources: WebSource[]
  /** True if the provider charges for it. */
  hasFee: boolean
  /** Provider's error code of a failed search. */
  error?: string
}

export interface WebSearchSettings {
  /** Maximum number of searches for one answer, by default 5. */
  maxUses?: number
  /** Anthropic's tool, with its version in the name. */
  anthropicTool?: string
}

export const DEFAULT_MAX_SEARCHES = 5

/** A page in a provider's answer. Without a URL, it names no page. */
export const NamedPage = z.object({ url: z.string().catch(""), title: z.string().nullish().catch(null) })
export type NamedPage = z.infer<typeof NamedPage>

export function toSource({ url, title }: NamedPage, isCited: boolean): WebSource {
  return { url, title: title || url, isCited }
}
