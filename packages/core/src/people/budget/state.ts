import type { Part } from "../../kernel/part.ts"
import { endsRun } from "../../work/runs/schema.ts"
import type { WorkBudget } from "./schema.ts"

export interface BudgetsState {
  session: WorkBudget | null
  /** Budgets of active runs. */
  runs: { [runId: string]: WorkBudget }
  /** Sequence number of the last event that set a budget. */
  setSeq: number
}

export const budgetsPart: Part<BudgetsState> = {
  version: 2,
  initial: { session: null, runs: {}, setSeq: 0 },
  apply(part, event) {
    if (event.run_id !== undefined && endsRun(event) && Object.hasOwn(part.runs, event.run_id)) {
      const { [event.run_id]: _, ...runs } = part.runs
      return { ...part, runs }
    }
    if (event.type !== "budget_set") return part
    const { scope, usd, tokens, minutes, run_id: runId, seq: setSeq } = event
    const budget = { usd, tokens, minutes }
    if (scope === "session") return { ...part, session: budget, setSeq }
    return runId === undefined ? part : { ...part, runs: { ...part.runs, [runId]: budget }, setSeq }
  },
}
