import { amountOf, limitsOf, unpricedNote } from "@switchyard/core/people/budget/message"
import { BudgetChange, type BudgetStatus } from "@switchyard/core/people/budget/schema"
import type { Cli } from "../cli.ts"
import { UsageError } from "../errors.ts"
import { EXIT } from "../exit.ts"

export interface BudgetOptions {
  day?: string
  month?: string
  dayTokens?: string
  monthTokens?: string
}

/** Shows the caller's budget, after the changes that the options name. */
export async function budget({ api, terminal, interrupts }: Cli, options: BudgetOptions): Promise<number> {
  const change = changeIn(options)
  const waiting = { signal: interrupts.first }
  const status = await (Object.keys(change).length > 0 ? api.changeBudget(change, waiting) : api.budget(waiting))
  if (terminal.json) terminal.printJson(status)
  else for (const line of budgetLines(status)) terminal.print(line)
  return EXIT.done
}

function changeIn({ day, month, dayTokens, monthTokens }: BudgetOptions): BudgetChange {
  const given = { day_usd: day, month_usd: month, day_tokens: dayTokens, month_tokens: monthTokens }
  const named = Object.entries(given).flatMap(([name, text]) => (text === undefined ? [] : [[name, amountIn(text)]]))
  const change = BudgetChange.safeParse(Object.fromEntries(named))
  if (!change.success) throw new UsageError("A budget is a number that isn't negative, or none.")
  return change.data
}

function amountIn(text: string): number | null {
  return text === "none" ? null : text.trim() === "" ? Number.NaN : Number(text)
}

/** A line for each limit, and what is to be known beside them. */
function budgetLines(status: BudgetStatus): string[] {
  const limits = limitsOf(status).map(({ name, most, used }) => `${amountOf(name, most)}: ${used} used`)
  return [
    ...(limits.length > 0 ? limits : ["There is no budget."]),
    ...[unpricedNote(status) ?? []].flat(),
    ...(status.reached ? [`Nothing begins before ${status.reached.resets_at}, unless you raise the budget.`] : []),
  ]
}
