import { AppError } from "../../errors.ts"
import type { Rule, SessionLog } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { isAnsweredAtOnce } from "../../work/runs/kinds.ts"
import { asExecutor } from "../../work/runs/rules.ts"
import { RunParked } from "../../work/runs/run-context.ts"
import { runOf } from "../../work/runs/state.ts"
import { budgetQuestion, reachedText } from "./ask.ts"
import type { BudgetScope, WorkBudgetStatus } from "./schema.ts"
import { reachedBudget, workBudgetStatus } from "./work-status.ts"

type Asking = Pick<SessionLog, "sid" | "catchUp" | "decide">

/**
 * Asked before each call of a model: everything in the session's log counts by then. Where the budget of the run or of its
 * session is used up, a person is asked, and this throws `RunParked`. About a session's budget one of its runs asks for all.
 * A chat's turn waits for no answer: there it throws `budget_reached`.
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
      // Changed since, or asked already.
      if (state.budgets.setSeq !== seen.budgets.setSeq || openQuestion(state, runId, scope)) return []
      return asExecutor(runId, generation, [ask])(state)
    }, options)
    const asked = openQuestion(await session.catchUp(options), runId, scope)
    if (!asked) continue
    // Another run's question ends with that run, too.
    const other = asked.runId === runId ? {} : { run: asked.runId }
    throw new RunParked(reachedText(reached, scope), { question: asked.questionId, ...other })
  }
}

/** The rule, where the session's budget has room; else it refuses with `budget_reached`. */
export function withinSessionBudget(rule: Rule): Rule {
  return (state) => {
    const status = workBudgetStatus(state)
    return status.reached ? budgetReached(status, "session") : rule(state)
  }
}

function budgetReached(status: WorkBudgetStatus, scope: BudgetScope): AppError {
  const { reached } = status
  const details = { limit: reached, maximum: reached && status[reached], scope }
  return new AppError("budget_reached", `${reachedText(status, scope)} Raise it to go on.`, details)
}

function openQuestion({ questions }: SessionState, ofRun: string, scope: BudgetScope) {
  return questions.waiting.find(({ budget, runId }) => budget === scope && (scope === "session" || runId === ofRun))
}
