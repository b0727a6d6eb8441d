import { workLimitsOf } from "@switchyard/core/people/budget/message"
import type { WorkBudgetStatus } from "@switchyard/core/people/budget/schema"
import { costText, tokenCount } from "@switchyard/core/people/usage/amounts"

/** Describes the used amounts relative to the limits. Empty if nothing was used and there are no limits. */
export function spendingText(budget: WorkBudgetStatus): string {
  const limits = workLimitsOf(budget)
  if (limits.length > 0) return limits.map(({ text }) => text).join(" · ")
  const { usd, usd_is_complete, tokens } = budget.used
  if (tokens === 0 && !usd) return ""
  const cost = usd === null ? "" : `${costText({ cost_usd: usd, cost_is_complete: usd_is_complete })} · `
  return `${cost}${tokenCount(tokens)} tokens`
}

/** Describes everything that a member has used; empty if nothing. */
export function usedText({ usd, usd_is_complete, tokens, minutes }: WorkBudgetStatus["used"]): string {
  const worked = Math.round(minutes)
  const parts = [
    ...(usd ? [costText({ cost_usd: usd, cost_is_complete: usd_is_complete })] : []),
    ...(tokens > 0 ? [`${tokenCount(tokens)} tokens`] : []),
    ...(worked > 0 ? [`${worked} min`] : []),
  ]
  return parts.join(" · ")
}

/** Bar for the limit that is closest to being used up; nothing without limits. */
export function SpendingBar({ budget }: { budget: WorkBudgetStatus }) {
  const percents = workLimitsOf(budget).map(({ percent }) => percent)
  if (percents.length === 0) return null
  const most = Math.max(...percents)
  return (
    <div aria-hidden className="h-1 shrink-0 overflow-hidden rounded-sm bg-line">
      <div className={most >= 90 ? "h-full bg-err" : "h-full bg-accent"} style={{ width: `${most}%` }} />
    </div>
  )
}
