import type { ListPrice, Price } from "@switchyard/core/models/providers/provider-facts"
import { modelProviders } from "@switchyard/core/models/providers/providers"
import * as z from "zod"

/** Providers whose prices are listed. Groq's are those of its paid tier; its free tier is limited by rate, not cost. */
const PROVIDERS = ["groq", "anthropic", "openai", "bedrock"] as const

const Usd = z.number().nonnegative().nullish()
/** A model in LiteLLM's `model_prices_and_context_window.json`. Prices are in dollars per token. */
const ListedModel = z.looseObject({
  litellm_provider: z.string().optional(),
  mode: z.string().optional(),
  input_cost_per_token: Usd,
  output_cost_per_token: Usd,
  cache_read_input_token_cost: Usd,
  cache_creation_input_token_cost: Usd,
})
type ListedModel = z.infer<typeof ListedModel>

type Provider = (typeof PROVIDERS)[number]
export type PriceList = Partial<Record<string, Record<string, ListPrice>>>

/**
 * Returns the prices of our providers' language models, as read on the day `asOf`. Throws if a provider has none, because
 * the format has changed then.
 */
export function readPrices(json: unknown, asOf: string): PriceList {
  const models = Object.entries(z.record(z.string(), z.unknown()).parse(json)).flatMap(([name, sent]) => {
    const model = ListedModel.safeParse(sent).data
    return model ? [[name, model] as const] : []
  })
  return Object.fromEntries(PROVIDERS.map((provider) => [provider, pricesOf(provider, models, asOf)]))
}

/** Adds the new prices to the old ones. Models that the new list lacks keep their price and its date. */
export function mergePrices(old: PriceList, read: PriceList): PriceList {
  return Object.fromEntries(PROVIDERS.map((provider) => [provider, sorted({ ...old[provider], ...read[provider] })]))
}

function pricesOf(
  provider: Provider,
  models: (readonly [string, ListedModel])[],
  asOf: string,
): Record<string, ListPrice> {
  const found = new Map<string, ListPrice>()
  for (const [listed, model] of models) {
    const name = listed.startsWith(`${provider}/`) ? listed.slice(provider.length + 1) : listed
    const price = isOwn(provider, name, model) ? priceOf(model) : undefined
    if (!price) continue
    const undated = name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "")
    // The entry without a date is the current version of the model.
    if (undated === name || !found.has(undated)) {
      found.set(undated, { ...price, asOf, source: modelProviders[provider].pricesUrl ?? "" })
    }
  }
  if (found.size === 0) throw new Error(`The list has no prices for ${provider}.`)
  return sorted(Object.fromEntries(found))
}

function sorted(prices: Record<string, ListPrice>): Record<string, ListPrice> {
  return Object.fromEntries(Object.entries(prices).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Bedrock's models that workflows, chats and teams manage: with inference profiles, but without single regions. */
const BEDROCK =
  /^(?:(?:us|eu|apac|jp|au|global)\.)?(?:anthropic\.claude-(?:sonnet|opus|haiku|fable)-[\w.:-]+|amazon\.nova-(?!2-pro-preview)[\w.:-]+|openai\.gpt-oss-\d+b-[\w.:-]+|qwen\.qwen3-coder-[\w.:-]+)$/

/** True for a provider's own models. Names with a colon are fine-tuned, and others with a slash are resold. */
function isOwn(provider: Provider, name: string, { litellm_provider: listed }: ListedModel): boolean {
  if (provider === "bedrock") return /^bedrock(?:_converse)?$/.test(listed ?? "") && BEDROCK.test(name)
  return listed === provider && !name.includes(":") && (provider === "groq" || !name.includes("/"))
}

function priceOf(model: ListedModel): Price | undefined {
  const { mode, input_cost_per_token: input, output_cost_per_token: output } = model
  if ((mode !== "chat" && mode !== "responses") || !input || !output) return undefined
  const factor = (cost: number | null | undefined) => (cost == null ? 1 : rounded(cost / input))
  return {
    inputUsd: rounded(input * 1e6),
    outputUsd: rounded(output * 1e6),
    cacheRead: factor(model.cache_read_input_token_cost),
    cacheWrite: factor(model.cache_creation_input_token_cost),
  }
}

/** Removes the error of a binary fraction, such as that of 0.15e-6 × 1e6. */
function rounded(amount: number): number {
  return Number(amount.toPrecision(6))
}

/** Returns the module with a price list. */
export function priceModule(list: PriceList, asOf: string): string {
  const sources = [
    ...new Set(Object.values(list).flatMap((prices = {}) => Object.values(prices).map((one) => one.source))),
  ]
  const nameOf = (source: string) => `SOURCE_${sources.indexOf(source) + 1}`
  const providers = Object.entries(list).map(([provider, prices = {}]) => {
    const lines = Object.entries(prices).map(
      ([name, price]) => `    ${JSON.stringify(name)}: row(${rowText(price, nameOf(price.source))}),`,
    )
    return [`  ${provider}: {`, ...lines, "  },"].join("\n")
  })
  return `import type { ListPrice } from "./providers/provider-facts.ts"

// Written by \`node tools/prices.ts\`.

/** Date of the last update. Models that were no longer listed then have older prices. */
export const PRICES_AS_OF = "${asOf}"

${sources.map((source) => `const ${nameOf(source)} = ${JSON.stringify(source)}`).join("\n")}

/**
 * List prices by provider, and by model name without a date. Each row has its date and source, dollars per million tokens
 * of input and output, and the factors for reading and writing cached input.
 */
export const priceList: Record<string, Record<string, ListPrice>> = {
${providers.join("\n")}
}

function row(
  asOf: string,
  source: string,
  inputUsd: number,
  outputUsd: number,
  cacheRead: number,
  cacheWrite: number,
): ListPrice {
  return { inputUsd, outputUsd, cacheRead, cacheWrite, asOf, source }
}
`
}

function rowText({ inputUsd, outputUsd, cacheRead, cacheWrite, asOf }: ListPrice, source: string): string {
  return [JSON.stringify(asOf), source, inputUsd, outputUsd, cacheRead, cacheWrite].join(", ")
}
