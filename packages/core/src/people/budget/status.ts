import { totalOf } from "../../work/usage/counts.ts"
import type { Ledger } from "../../work/usage/ledger.ts"
import { reportUsage } from "../usage/report.ts"
import type { UsageTotal } from "../usage/schema.ts"
import { type Budget, BudgetName, type BudgetStatus } from "./schema.ts"

interface Deps {
  ledger: Pick<Ledger, "read">
  clock: { now(): number }
}

const EACH_PERIOD = { day_usd: "day", day_tokens: "day", month_usd: "month", month_tokens: "month" } as const

/** Returns a budget with the amounts used according to the ledger. */
export async function budgetStatus(
  { ledger, clock }: Deps,
  owner: string,
  budget: Budget,
  options: { signal: AbortSignal },
): Promise<BudgetStatus> {
  const now = new Date(clock.now())
  const to = now.toISOString().slice(0, 10)
  const query = { from: `${to.slice(0, 8)}01`, to, group_by: "day" }
  // Use the time that was read above, in case midnight passes in between.
  const { groups, total } = await reportUsage({ ledger, clock }, owner, query, options)
  const today = groups.find(({ day }) => day === to)
  const used = { day: spentIn(today), month: spentIn(total) }
  return { ...budget, ...used, reached: reachedIn(budget, used, now) }
}

type Used = Pick<BudgetStatus, "day" | "month">

function spentIn(sum: UsageTotal | undefined): Used["day"] {
  if (!sum) return { usd: 0, usd_is_complete: true, tokens: 0 }
  const tokens = totalOf(sum.tokens) + sum.estimated_input + sum.estimated_output
  const isFree = sum.cost_usd === null && sum.cost_is_complete
  return { usd: isFree ? 0 : sum.cost_usd, usd_is_complete: sum.cost_is_complete, tokens }
}

/**
 * Returns the used-up limit that resets last. If the monthly limit is used up too, it doesn't help that a new day
 * begins.
 */
function reachedIn(budget: Budget, used: Used, now: Date): BudgetStatus["reached"] {
  const all = BudgetName.options.filter((name) => isReached(name, budget, used))
  const limit = all.find((name) => EACH_PERIOD[name] === "month") ?? all[0]
  return limit === undefined ? null : { limit, resets_at: endOf(EACH_PERIOD[limit], now) }
}

function isReached(name: BudgetName, budget: Budget, used: Used): boolean {
  const most = budget[name]
  const { usd, tokens } = used[EACH_PERIOD[name]]
  return most !== null && (name.endsWith("usd") ? (usd ?? 0) : tokens) >= most
}

function endOf(period: "day" | "month", now: Date): string {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  return new Date(period === "day" ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1)).toISOString()
}
