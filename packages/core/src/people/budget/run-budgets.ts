import { AppError } from "../../errors.ts"
import type { Rule, SessionLog } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { isAnsweredAtOnce } from "../../work/runs/kinds.ts"
import { appendAsExecutor } from "../../work/runs/rules.ts"
import { RunParked } from "../../work/runs/run-context.ts"
import { runOf } from "../../work/runs/state.ts"
import { budgetQuestion, reachedText } from "./ask.ts"
import type { BudgetScope, WorkBudgetStatus } from "./schema.ts"
import { reachedBudget, workBudgetStatus } from "./work-status.ts"

type Asking = Pick<SessionLog, "sid" | "catchUp" | "decide">

/**
 * Checks the budgets of a run and its session. Called before each model call, after all earlier usage was added to the
 * session's log. If a budget is used up, asks a person and throws `RunParked`. If it is the session's budget, one run
 * asks on behalf of all. Chat turns don't wait for answers, so they throw `budget_reached` instead.
 */
export async function requireRoom(
  session: Asking,
  { runId, generation }: { runId: string; generation: number },
  options: { signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const seen = await session.catchUp(options)
    const reached = reachedBudget(seen, runId)
    if (!reached) return
    const { scope } = reached
    const run = runOf(seen, runId)
    if (run && isAnsweredAtOnce(run)) throw budgetReached(reached, scope)
    const content = budgetQuestion(reached, scope)
    const question_id = `que_${runId.slice(4)}-budget-${seen.questions.asked}`
    const ask = { type: "question_asked" as const, question_id, kind: content.kind, budget: scope, question: content }
    await session.decide((state) => {
      // Don't ask if the budget has changed since it was checked, or if the question is already open.
      if (state.budgets.setSeq !== seen.budgets.setSeq || openQuestion(state, runId, scope)) return []
      return appendAsExecutor(runId, generation, [ask])(state)
    }, options)
    const asked = openQuestion(await session.catchUp(options), runId, scope)
    if (!asked) continue
    // If another run asked the question, this run also stops waiting when that run ends.
    const other = asked.runId === runId ? {} : { run: asked.runId }
    throw new RunParked(reachedText(reached, scope), { question: asked.questionId, ...other })
  }
}

/**
 * Returns a rule that rejects with `budget_reached` if the session's budget is used up. Otherwise it applies `rule`.
 */
export function withinSessionBudget(rule: Rule): Rule {
  return (state) => {
    const status = workBudgetStatus(state)
    return status.reached ? budgetReached(status, "session") : rule(state)
  }
}

function budgetReached(status: WorkBudgetStatus, scope: BudgetScope): AppError {
  const { reached } = status
  const details = { limit: reached, maximum: reached && status[reached], scope }
  return new AppError("budget_reached", `${reachedText(status, scope)} Raise it to continue.`, details)
}

function openQuestion({ questions }: SessionState, ofRun: string, scope: BudgetScope) {
  return questions.waiting.find(({ budget, runId }) => budget === scope && (scope === "session" || runId === ofRun))
}
