import * as z from "zod"

/** A page that a search found. */
export interface WebSource {
  url: string
  title: string
  /** Whether the answer cites it. */
  isCited: boolean
}

/** A search that a provider made while its model answered. */
export interface WebSearch {
  query: string
  sources: WebSource[]
  /** Whether the provider takes its fee for it. */
  hasFee: boolean
  /** The provider's code for a search that failed. */
  error?: string
}

/** The settings of the providers' own search. */
export interface WebSearchSettings {
  /** The searches that one answer may make; 5. */
  maxUses?: number
  /** Anthropic's tool, whose name has its version. */
  anthropicTool?: string
}

export const DEFAULT_MAX_SEARCHES = 5

/** A page in a provider's answer. One without an address names none. */
export const NamedPage = z.object({ url: z.string().catch(""), title: z.string().nullish().catch(null) })
export type NamedPage = z.infer<typeof NamedPage>

export function toSource({ url, title }: NamedPage, isCited: boolean): WebSource {
  return { url, title: title || url, isCited }
}
