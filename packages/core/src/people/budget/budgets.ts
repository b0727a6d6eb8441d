import { AppError } from "../../errors.ts"
import type { SessionState } from "../../state.ts"
import type { Records } from "../../storage/records.ts"
import type { RequireBudget } from "../../work/runs/create-run-context.ts"
import { isAnsweredAtOnce } from "../../work/runs/kinds.ts"
import type { AskingSessions } from "../../work/runs/reconcile.ts"
import { RunParked } from "../../work/runs/run-context.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import { runOf } from "../../work/runs/state.ts"
import type { Ledger } from "../../work/usage/ledger.ts"
import { changeWorkBudget, type WorkSubject } from "./change-work-budget.ts"
import { reachedMessage } from "./message.ts"
import { requireRoom } from "./run-budgets.ts"
import {
  Budget,
  type BudgetChange,
  type BudgetStatus,
  noBudget,
  type WorkBudgetChange,
  type WorkBudgetStatus,
} from "./schema.ts"
import { budgetStatus } from "./status.ts"
import { createWaitingRuns, type WaitingRunsDeps } from "./waiting-runs.ts"
import { workBudgetStatus } from "./work-status.ts"

/** The budgets of owners. */
export interface Budgets {
  read(owner: string, options: { signal: AbortSignal }): Promise<BudgetStatus>
  /** Changes what is named, from the next call of a model on. What waited for room goes on where there is some. */
  change(owner: string, change: BudgetChange, options: { signal: AbortSignal }): Promise<BudgetStatus>
  /** Asked before a run begins or goes on. Throws `budget_reached`. */
  require(owner: string, options: { signal: AbortSignal }): Promise<void>
  /** Asked before each call of a model, after the run's own usage is counted. Throws `RunParked` until there is room; of a chat's turn, `budget_reached`. */
  requireInRun: RequireBudget
  /** Changes the budget of a session, or of one of its runs. What waited for room goes on, and asks anew where there is none. */
  changeWork(
    subject: WorkSubject,
    change: WorkBudgetChange,
    options: { signal: AbortSignal },
  ): Promise<WorkBudgetStatus>
  /** The same budget, with the part of it that is used. */
  readWork(state: SessionState, runId?: string): Promise<WorkBudgetStatus>
  /** Lists a run that waits for room, and wakes it if there was some before it could be listed. */
  update: AskingSessions["update"]
}

interface BudgetsDeps extends WaitingRunsDeps {
  ledger: Ledger
  index: Pick<RunIndex, "get">
}

const ATTEMPTS = 5

export function createBudgets(deps: BudgetsDeps): Budgets {
  const { records, ledger, index } = deps
  const waiting = createWaitingRuns(deps)

  async function reached(owner: string, options: { signal: AbortSignal }): Promise<BudgetStatus | undefined> {
    const { budget, version } = await stored(records, owner, options)
    if (version === undefined) return undefined
    const status = await budgetStatus(deps, owner, budget, options)
    return status.reached ? status : undefined
  }

  return {
    async read(owner, options) {
      const { budget } = await stored(records, owner, options)
      return budgetStatus(deps, owner, budget, options)
    },
    async change(owner, change, options) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { budget, version } = await stored(records, owner, options)
        const value = { ...budget, ...change }
        const condition = version === undefined ? { ifAbsent: true as const } : { ifVersion: version }
        const put = await records.put(keyOf(owner), { value }, { ...condition, ...options })
        if (put === undefined) continue
        const status = await budgetStatus(deps, owner, value, options)
        if (!status.reached) await waiting.wakeAll(owner, options)
        return status
      }
      throw new AppError("storage_conflict", "The budget was changed elsewhere. Read it again.")
    },
    async require(owner, options) {
      const status = await reached(owner, options)
      if (status?.reached) throw ownerBudgetReached(status, status.reached)
    },
    async requireInRun(session, run, options) {
      await requireRoom(session, run, options)
      const { runId } = run
      const ref = await index.get(runId, options)
      if (!ref || (await records.get(keyOf(ref.owner), options)) === undefined) return
      await ledger.update(session, runId, options)
      const status = await reached(ref.owner, options)
      if (!status?.reached) return
      const known = runOf(session.state, runId)
      if (known && isAnsweredAtOnce(known)) throw ownerBudgetReached(status, status.reached)
      throw new RunParked(reachedMessage(status), { until: status.reached.resets_at, budget: true })
    },
    changeWork: (subject, change, options) => changeWorkBudget(deps, subject, change, options),
    readWork: async (state, runId) => workBudgetStatus(state, runId),
    async update({ sid }, runId, options) {
      const ref = await index.get(runId, options)
      if (!ref) return
      // First listed, then asked: whoever raises the budget in between finds the run, or is found to have raised it.
      await waiting.list(ref.owner, { sid, runId }, options)
      if (!(await reached(ref.owner, options))) await waiting.wake({ sid, runId }, options)
    },
  }
}

function ownerBudgetReached(
  status: BudgetStatus,
  { limit, resets_at }: NonNullable<BudgetStatus["reached"]>,
): AppError {
  return new AppError("budget_reached", reachedMessage(status), { limit, maximum: status[limit], resets_at })
}

async function stored(records: Records, owner: string, options: { signal: AbortSignal }) {
  const record = await records.get(keyOf(owner), options)
  return { budget: record ? Budget.parse(record.value) : noBudget, version: record?.version }
}

function keyOf(owner: string) {
  return { partition: `settings/${owner}`, sort: "budget" }
}
