import type { Price } from "@switchyard/core/models/providers/provider-facts"
import * as z from "zod"

/** Providers whose prices are listed. Groq isn't, because its free tier is limited by rate, not cost. */
const PROVIDERS = ["anthropic", "openai"] as const

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

type PriceList = Record<(typeof PROVIDERS)[number], Record<string, Price>>

/** Returns the prices of our providers' language models. Throws if a provider has none, as the format has changed then. */
export function readPrices(json: unknown): PriceList {
  const models = Object.entries(z.record(z.string(), z.unknown()).parse(json)).flatMap(([name, sent]) => {
    const model = ListedModel.safeParse(sent).data
    return model ? [[name, model] as const] : []
  })
  return Object.fromEntries(PROVIDERS.map((provider) => [provider, pricesOf(provider, models)])) as PriceList
}

function pricesOf(provider: string, models: (readonly [string, ListedModel])[]): Record<string, Price> {
  const found = new Map<string, Price>()
  for (const [name, model] of models) {
    const price = model.litellm_provider === provider && !/[:/]/.test(name) ? priceOf(model) : undefined
    if (!price) continue
    const undated = name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "")
    // The entry without a date is the current version of the model.
    if (undated === name || !found.has(undated)) found.set(undated, price)
  }
  if (found.size === 0) throw new Error(`The list has no prices for ${provider}.`)
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
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
  const providers = Object.entries(list).map(([provider, prices]) => {
    const lines = Object.entries(prices).map(([name, price]) => `    ${JSON.stringify(name)}: ${priceText(price)},`)
    return [`  ${provider}: {`, ...lines, "  },"].join("\n")
  })
  return `import type { Price } from "./providers/provider-facts.ts"

// Written by \`node tools/prices.ts\`.

/** Date of the list prices. */
export const PRICES_AS_OF = "${asOf}"

/** List prices by provider, and by model name without a date. */
export const priceList: Record<string, Record<string, Price>> = {
${providers.join("\n")}
}
`
}

function priceText({ inputUsd, outputUsd, cacheRead, cacheWrite }: Price): string {
  return `{ inputUsd: ${inputUsd}, outputUsd: ${outputUsd}, cacheRead: ${cacheRead}, cacheWrite: ${cacheWrite} }`
}
