/** Dollars per million tokens. */
export interface Price {
  inputUsd: number
  outputUsd: number
  /**
   * Price factors of reading cached input, and of writing input to a cache for five minutes, relative to `inputUsd`.
   */
  cacheRead: number
  cacheWrite: number
}

/** Recognisable form of a company's keys. Only for forms that no other company uses. */
export interface KeyForm {
  /** Description of such a key, for people. */
  described: string
  /** Prefix of such keys, for people. */
  prefix: string
  form: RegExp
  /** Domain of the company's API, or null if no API accepts such keys from us. */
  domain: string | null
}

/**
 * Everything the product knows about a model provider. The providers are listed in `providers.ts`; the rest of the code
 * derives from that list.
 */
export interface ProviderFacts {
  name: string
  /** A hosted API needs a key, the operator's own server needs an address, and a built-in model is for development. */
  kind: "hosted" | "own_server" | "built_in"
  /** API the provider speaks. `registry.ts` has a client for each. */
  api: "anthropic" | "groq" | "openai" | "scripted"
  /** Default base URL, without a trailing slash. */
  baseUrl?: string
  /** Model for requests that name only the provider; null if it depends on the server. */
  defaultModel: string | null
  /** The provider's model for summaries and commit messages, if one suits these better than the requested model. */
  smallModel?: string
  /** Model names that imply this provider. */
  shortNames?: RegExp
  keyForm?: KeyForm
  /** The provider's way of caching prompts: only marked prefixes, or automatically. */
  cache?: "marked" | "automatic"
  /** List price of one web search in dollars, excluding the tokens of its results. */
  searchFeeUsd?: number
  /**
   * Returns whether a model searches the web itself while answering, or through another model. Undefined if it can't
   * search.
   */
  searchOf?(model: string, baseUrl: string): "itself" | "by model" | undefined
  /** Returns the URL of the model list. `baseUrl` has no trailing slash. Absent if the provider has a single model. */
  modelsUrl?(baseUrl: string): string
  /** Headers that carry the key, if it isn't sent as a bearer token. */
  keyHeaders?(apiKey: string): Record<string, string>
}
