import { costText, tokenCount } from "../usage/amounts.ts"
import { BudgetName, type BudgetStatus, type WorkBudget, type WorkBudgetStatus } from "./schema.ts"

/** Returns a sentence that names the limit that is used up, and what can be done about it. */
export function reachedMessage({ reached, ...budget }: BudgetStatus): string {
  if (!reached) return ""
  const { limit, resets_at } = reached
  const until = `${resets_at.slice(0, 10)}, 00:00 UTC`
  const most = budget[limit] ?? 0
  return `Your budget of ${amountOf(limit, most)} is used up. Raise it, or wait until ${until}.`
}

/** Formats the limits in a session's or run's budget, such as "$5.00 or 100,000 tokens". */
export function amountText({ usd, tokens, minutes }: WorkBudget): string {
  const all = [
    usd === null ? [] : `$${usd.toFixed(2)}`,
    tokens === null ? [] : `${tokens.toLocaleString("en-US")} tokens`,
    minutes === null ? [] : minuteText(minutes),
  ]
  return all.flat().join(" or ")
}

/** Formats a limit with its period, such as "$5.00 a day". */
export function amountOf(limit: BudgetName, most: number): string {
  const period = limit.startsWith("day") ? "day" : "month"
  return limit.endsWith("usd")
    ? `$${most.toFixed(2)} a ${period}`
    : `${most.toLocaleString("en-US")} tokens a ${period}`
}

export interface BudgetLimit {
  name: BudgetName
  most: number
  /** Formatted usage. If some of the usage has no price, this is `unknown`, or `at least` and an amount. */
  used: string
  /** Percentage used, rounded down. If it is 100, runs can't start. */
  percent: number
}

/** Returns the limits that are set. */
export function limitsOf(status: BudgetStatus): BudgetLimit[] {
  return BudgetName.options.flatMap((name) => {
    const most = status[name]
    return most === null ? [] : [{ name, most, ...usedOf(name, most, status) }]
  })
}

/** A limit in a session's or run's budget. */
export interface WorkLimit {
  name: keyof WorkBudget
  /** Text such as "$1.20 of $5.00". */
  text: string
  /** Text such as "$3.80 left". */
  left: string
  /** Percentage used, rounded down and capped at 100. */
  percent: number
}

/** Returns the limits set in a session's or run's budget, with the amounts used. */
export function workLimitsOf({ usd, tokens, minutes, used }: WorkBudgetStatus): WorkLimit[] {
  const cost = costText({ cost_usd: used.usd, cost_is_complete: used.usd_is_complete })
  const dollars = (amount: number) => `$${amount.toFixed(2)}`
  const inUsd = usd === null ? [] : [{ name: "usd" as const, ...limitOf(used.usd ?? 0, usd, dollars, cost) }]
  const count = (amount: number) => tokenCount(amount)
  const both = tokens === null ? [] : [{ name: "tokens" as const, ...limitOf(used.tokens, tokens, count) }]
  const inMinutes =
    minutes === null ? [] : [{ name: "minutes" as const, ...limitOf(used.minutes, minutes, minuteText) }]
  return [...inUsd, ...both.map((limit) => ({ ...limit, text: `${limit.text} tokens` })), ...inMinutes]
}

/** Formats a duration, such as "7.3 minutes". */
export function minuteText(minutes: number): string {
  const shown = minutes.toLocaleString("en-US", { maximumFractionDigits: 1 })
  return `${shown} ${minutes === 1 ? "minute" : "minutes"}`
}

function limitOf(used: number, most: number, text: (amount: number) => string, usedText = text(used)) {
  const percent = used >= most ? 100 : Math.floor((used / most) * 100)
  return { text: `${usedText} of ${text(most)}`, left: `${text(Math.max(0, most - used))} left`, percent }
}

function usedOf(name: BudgetName, most: number, { day, month }: BudgetStatus): Pick<BudgetLimit, "used" | "percent"> {
  const { usd, usd_is_complete, tokens } = name.startsWith("day") ? day : month
  const inDollars = name.endsWith("usd")
  const amount = inDollars ? (usd ?? 0) : tokens
  return {
    used: inDollars ? costText({ cost_usd: usd, cost_is_complete: usd_is_complete }) : tokenCount(tokens),
    percent: amount >= most ? 100 : Math.floor((amount / most) * 100),
  }
}

/** Returns a note if some usage has no price and therefore doesn't count toward the dollar limits, or else undefined. */
export function unpricedNote({ day_usd, month_usd, month }: BudgetStatus): string | undefined {
  const isUnpriced = (day_usd !== null || month_usd !== null) && !month.usd_is_complete
  return isUnpriced ? UNPRICED : undefined
}

/** Like `unpricedNote`, but for the budget of a session or run. */
export function unpricedWorkNote({ usd, used }: WorkBudgetStatus): string | undefined {
  return usd !== null && !used.usd_is_complete ? UNPRICED : undefined
}

const UNPRICED =
  "Some models or searches have no known price, so dollar limits don't count them. Token limits still count the models."
