import type { QuestionContent } from "../../agents/questions/schema.ts"
import { amountText } from "./message.ts"
import { BUDGET_ANSWERS, type BudgetScope, noWorkBudget, type WorkBudget, type WorkBudgetStatus } from "./schema.ts"

/** Amounts to add to a budget of zero. */
const SMALLEST = { usd: 1, tokens: 100_000, minutes: 10 }

/** Returns the question that people are asked if the budget of a run or its session is used up. */
export function budgetQuestion(status: WorkBudgetStatus, scope: BudgetScope): QuestionContent {
  const raised = raiseOf(status)
  const option = (label: string, description: string) => ({ label, description })
  const options = [
    option(`Up to ${amountText(raised)}`, "Continues, and asks again when this limit is reached"),
    option(BUDGET_ANSWERS.unlimited, "Continues without a limit"),
    option(
      BUDGET_ANSWERS.stop,
      scope === "run" ? "Cancels the run" : "Cancels everything that is waiting for this answer",
    ),
  ]
  const question = { question: `${reachedText(status, scope)} How should it continue?`, header: "Budget", options }
  return { kind: "choice", questions: [{ ...question, multi: false }], budget: { scope, ...raised } }
}

/** Returns a sentence that names the budget that is used up. */
export function reachedText(status: WorkBudgetStatus, scope: BudgetScope): string {
  const { reached } = status
  const most = amountText({ ...noWorkBudget, ...(reached && { [reached]: status[reached] }) })
  return `The ${scope}'s budget of ${most} is used up.`
}

/** Returns the raised budget, which is the amount used so far plus the old budget. */
function raiseOf({ usd, tokens, minutes, used }: WorkBudgetStatus): WorkBudget {
  const raisedUsd = usd === null ? null : Math.ceil(((used.usd ?? 0) + (usd || SMALLEST.usd)) * 100) / 100
  const raisedMinutes = minutes === null ? null : Math.ceil(used.minutes + (minutes || SMALLEST.minutes))
  const raisedTokens = tokens === null ? null : used.tokens + (tokens || SMALLEST.tokens)
  return { usd: raisedUsd, tokens: raisedTokens, minutes: raisedMinutes }
}
