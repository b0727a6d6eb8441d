import { PRICES_AS_OF } from "../../models/price-list.ts"
import { priceOf } from "../../models/prices.ts"
import { isBuild } from "../../work/runs/kinds.ts"
import { listCost } from "../../work/usage/cost.ts"
import { NO_TOKENS, plus, totalOf } from "../../work/usage/counts.ts"
import type { Ledger } from "../../work/usage/ledger.ts"
import type { UsageRow } from "../../work/usage/schema.ts"
import type { BuildEstimate } from "./schema.ts"

type Counts = Pick<UsageRow, "tokens" | "estimated">

const DAY_MS = 86_400_000
const LOOK_BACK_DAYS = 29
/** Minimum number of earlier builds. With fewer builds, typical token counts predict the next build better. */
const ENOUGH = 3
const MOST_RECENT = 20

/**
 * Token counts for a new project with 5 files and for one with 15 files. For the small project, there is a request per
 * file, plus a plan, a layout and a review, with about 3,300 tokens each. For the large project, the model also thinks
 * before it answers, and repairs some files. Both assume that nothing is cached.
 */
const SMALL = counts(25_000, 8000)
const LARGE = counts(110_000, 40_000)

function counts(input: number, output: number): Counts {
  return { tokens: { ...NO_TOKENS, input, output }, estimated: { input: 0, output: 0 } }
}

/**
 * Estimates the cost of a build with a model, in dollars. Based on the owner's builds of the last 30 days, or on
 * typical builds if there are too few. `usd` is null if the model has no list price.
 */
export async function estimateBuild(
  { ledger, clock }: { ledger: Pick<Ledger, "read">; clock: { now(): number } },
  owner: string,
  { provider, model }: { provider: string; model: string },
  options: { signal: AbortSignal },
): Promise<BuildEstimate> {
  const price = priceOf(provider, model)
  const about = { model: `${provider}/${model}`, prices_as_of: price?.asOf ?? PRICES_AS_OF }
  if (provider === "scripted") return { ...about, usd: { low: 0, high: 0 }, builds: 0 }
  if (!price) return { ...about, usd: null, builds: 0 }
  const builds = await recentBuilds(ledger, owner, clock.now(), options)
  const isEnough = builds.length >= ENOUGH
  const costs = (isEnough ? builds : [SMALL, LARGE]).map((build) => listCost(price, build)).sort((a, b) => a - b)
  const at = (share: number) => costs[Math.round(share * (costs.length - 1))] ?? 0
  const usd = isEnough ? { low: at(0.1), high: at(0.9) } : { low: at(0), high: at(1) }
  return { ...about, usd, builds: isEnough ? builds.length : 0 }
}

/** Returns the token counts of an owner's last builds with a language model. */
async function recentBuilds(
  ledger: Pick<Ledger, "read">,
  owner: string,
  now: number,
  options: { signal: AbortSignal },
): Promise<Counts[]> {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const builds = new Map<string, Counts>()
  const days = { from: day(now - LOOK_BACK_DAYS * DAY_MS), to: day(now) }
  for await (const { kind, run_id, rows } of ledger.read(owner, days, options)) {
    if (!isBuild({ kind })) continue
    for (const row of rows) {
      const { tokens, estimated } = row
      if (row.provider === "scripted" || totalOf(tokens) + estimated.input + estimated.output === 0) continue
      const sum = builds.get(run_id) ?? { tokens: NO_TOKENS, estimated: { input: 0, output: 0 } }
      builds.set(run_id, {
        tokens: plus(sum.tokens, tokens),
        estimated: {
          input: sum.estimated.input + estimated.input,
          output: sum.estimated.output + estimated.output,
        },
      })
    }
  }
  return [...builds.values()].slice(-MOST_RECENT)
}
