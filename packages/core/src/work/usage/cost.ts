import { BuiltInCli, clis } from "../../agents/clis/clis.ts"
import { priceOf, searchFeeUsd } from "../../models/prices.ts"
import type { Price } from "../../models/providers/provider-facts.ts"
import { totalOf } from "./counts.ts"
import type { UsageRow } from "./schema.ts"

/** A cost in US dollars, null if unknown. `isComplete` is false if the amount or price of some usage is unknown. */
export interface Cost {
  usd: number | null
  isComplete: boolean
}

/**
 * Returns the cost of a row, including search fees. Uses list prices if they are known, and otherwise the cost reported
 * by the agent's CLI. If a price is unknown, the cost is unknown rather than zero.
 */
export function costOf(row: UsageRow): Cost {
  const { provider, searches } = row
  if (provider === "scripted" || provider === "mock") return { usd: 0, isComplete: true }
  const ofTokens = tokenCost(row)
  if (searches === 0) return ofTokens
  const fee = searchFeeUsd(provider)
  if (fee === undefined) return { ...ofTokens, usd: ofTokens.usd || null, isComplete: false }
  return { ...ofTokens, usd: (ofTokens.usd ?? 0) + fee * searches }
}

function tokenCost({ provider, model, ...row }: UsageRow): Cost {
  const { tokens, estimated, reported_cost, unreported } = row
  const agent = BuiltInCli.safeParse(provider).data
  const price = priceOf((agent && clis[agent].company) ?? provider, model)
  const hasAll = unreported === 0
  if (price) return { usd: listCost(price, row), isComplete: hasAll || estimated.input + estimated.output > 0 }
  if (reported_cost !== null) return { usd: reported_cost, isComplete: true }
  const isNothing = totalOf(tokens) + estimated.input + estimated.output === 0 && hasAll
  return { usd: isNothing ? 0 : null, isComplete: isNothing }
}

type Counted = Pick<UsageRow, "tokens" | "estimated">

/** Returns the list price of tokens, in US dollars. */
export function listCost(
  { inputUsd, outputUsd, cacheRead, cacheWrite }: Price,
  { tokens, estimated }: Counted,
): number {
  const read = (tokens.cache_read ?? 0) * cacheRead + (tokens.cache_write ?? 0) * cacheWrite
  const input = (tokens.input ?? 0) + estimated.input + read
  const output = (tokens.output ?? 0) + estimated.output
  return (input * inputUsd + output * outputUsd) / 1_000_000
}
