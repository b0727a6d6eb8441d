/** Dollars per million tokens. */
export interface Price {
  inputUsd: number
  outputUsd: number
  /** Price of cached input, and of input written to a cache for five minutes, as a fraction of the usual price. */
  cacheRead: number
  cacheWrite: number
}

/** Form of a company's keys, listed only if no other company issues such keys. */
export interface KeyForm {
  /** Description of a key of this form, for people. */
  described: string
  /** Prefix of its keys, for people. */
  prefix: string
  form: RegExp
  /** Domain of its own API, or null if no API accepts it from us. */
  domain: string | null
}

/** Everything that the product knows about a model provider. `providers.ts` lists them, and the rest is derived. */
export interface ProviderFacts {
  name: string
  /** A hosted API needs a key. The operator's own server needs an address. A built-in model is for development. */
  kind: "hosted" | "own_server" | "built_in"
  /** API that it speaks. `registry.ts` has a client of each. */
  api: "anthropic" | "groq" | "openai" | "scripted"
  /** Usual base URL of its API, without a trailing slash. */
  baseUrl?: string
  /** Model for requests that name only the provider; null if it depends on the server. */
  defaultModel: string | null
  /** Its own model for summaries and commit messages, if one is better for that than the request's. */
  smallModel?: string
  /** Names of its models that are understood without the provider's. */
  shortNames?: RegExp
  keyForm?: KeyForm
  /** Prompt cache: of prefixes that the request marks, or automatic. */
  cache?: "marked" | "automatic"
  /** List prices by model name without a date. `prices.ts` says when and how they were checked. */
  prices?: Record<string, Price>
  /** List price of one web search in dollars, without the tokens of its results. */
  searchFeeUsd?: number
  /** Returns how a model searches the web: by itself while it answers, or by another model. Undefined if neither. */
  searchOf?(model: string, baseUrl: string): "itself" | "by model" | undefined
  /** Returns the URL that lists its models. The base URL has no trailing slash. Absent if it has a single model. */
  modelsUrl?(baseUrl: string): string
  /** Headers with a key, if it isn't a bearer token. */
  keyHeaders?(apiKey: string): Record<string, string>
}
