/** Dollars per million tokens, and where they are from. */
export interface ListPrice extends Price {
  /** Date on which the price was read, as YYYY-MM-DD. */
  asOf: string
  /** URL of the provider's page with this price. */
  source: string
}

/** Dollars per million tokens. */
export interface Price {
  inputUsd: number
  outputUsd: number
  /** Price of reading cached input, and of writing input to a cache for five minutes, as factors of `inputUsd`. */
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
  /** Domain of the company's API. Null if no API accepts such keys from us. */
  domain: string | null
  /** Coding agent that uses such keys, if no model provider does. */
  agent?: "gemini"
}

/**
 * Everything that the product knows about a model provider. `providers.ts` lists the providers; the rest of the code
 * derives from that list.
 */
export interface ProviderFacts {
  name: string
  /**
   * A hosted API needs a key. The operator's own server needs an address. A built-in model is for development. A program
   * runs on the user's own machine, with its own login. A cloud's models are used with the server's own role or login.
   */
  kind: "hosted" | "own_server" | "built_in" | "program" | "cloud"
  /** API that the provider offers. `registry.ts` has a client for each. */
  api: "anthropic" | "bedrock" | "groq" | "openai" | "scripted" | "claude-code"
  /** File name of the program, and the commands that install it and log in. Only for programs. */
  program?: { file: string; install: string; login: string }
  /** Default base URL, without a trailing slash. */
  baseUrl?: string
  /** Model for requests that name only the provider. Null if the model depends on the server. */
  defaultModel: string | null
  /** Models of a provider that can't list them. By default only the default model. */
  models?: string[]
  /** The provider's model for summaries and commit messages, if it suits these better than the requested model. */
  smallModel?: string
  /** Model names that imply this provider. */
  shortNames?: RegExp
  keyForm?: KeyForm
  /** URL of the page with the provider's list prices. */
  pricesUrl?: string
  /** List price of one web search in dollars, excluding the tokens of its results. */
  searchFeeUsd?: number
  /** True if the model list may state which models take images. */
  listsVision?: boolean
  /** Returns the URL of the model list. `baseUrl` has no trailing slash. Absent if the provider has a single model. */
  modelsUrl?(baseUrl: string): string
  /** Headers with the key, if it isn't sent as a bearer token. */
  keyHeaders?(apiKey: string): Record<string, string>
}

/**
 * Rules about a provider's models, by name. They aren't part of the facts, because the studio loads those with its first
 * page and doesn't need the rules.
 */
export interface ModelRules {
  /** Returns how the provider caches a model's prompts: marked prefixes only, or automatically. Undefined if not at all. */
  cacheOf?(model: string): "marked" | "automatic" | undefined
  /**
   * Returns the way in which a model searches the web while answering: itself, or through another model. Undefined if
   * it can't search.
   */
  searchOf?(model: string, baseUrl: string): "itself" | "by model" | undefined
  /** Returns true if a model takes images. Undefined if that isn't clear from its name. */
  seesImages?(model: string): boolean | undefined
}
