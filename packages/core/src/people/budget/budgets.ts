import { AppError } from "../../errors.ts"
import { type ProtectedOptions, requireLoosening } from "../../protections.ts"
import type { SessionState } from "../../state.ts"
import type { RequireBudget, ReserveBudget } from "../../work/runs/create-run-context.ts"
import { isAnsweredAtOnce } from "../../work/runs/kinds.ts"
import type { AskingSessions } from "../../work/runs/reconcile.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import { runOf } from "../../work/runs/state.ts"
import type { Ledger } from "../../work/usage/ledger.ts"
import { changeWorkBudget, type WorkSubject } from "./change-work-budget.ts"
import { loosensBudget } from "./loosens-budget.ts"
import { reachedMessage } from "./message.ts"
import { budgetKey, createOwnerBudget, findReachedBudget, parkedForOwner, storedBudget } from "./owner-budget.ts"
import { createReserveCall } from "./reserve-call.ts"
import { requireRoom } from "./run-budgets.ts"
import type { BudgetChange, BudgetStatus, ReachedBudget, WorkBudgetChange, WorkBudgetStatus } from "./schema.ts"
import { budgetStatus } from "./status.ts"
import { createWaitingRuns, type WaitingRunsDeps } from "./waiting-runs.ts"
import { workBudgetStatus } from "./work-status.ts"

export interface Budgets {
  read(owner: string, options: { signal: AbortSignal }): Promise<BudgetStatus>
  /**
   * Changes the given limits, starting with the next model call. In the cloud, it takes up to a minute until a running
   * agent learns that its owner now has a budget. Waiting runs continue if the new limits allow it.
   */
  change(owner: string, change: BudgetChange, options: ProtectedOptions): Promise<BudgetStatus>
  /** Throws `budget_reached` if the budget is used up. Call this before a run starts or continues. */
  require(owner: string, options: { signal: AbortSignal }): Promise<void>
  /**
   * Counts the run's usage, and checks the budgets. Called before each model call. If a budget is used up, throws
   * `RunParked` to park the run until the budget allows more. In a chat turn, throws `budget_reached` instead.
   */
  requireInRun: RequireBudget
  /** Reserves a part of the budgets for a model call. Throws the same errors as `requireInRun`. */
  reserveInRun: ReserveBudget
  /** Changes the budget of a session or run. Waiting runs continue, and ask again if the budget is still used up. */
  changeWork(subject: WorkSubject, change: WorkBudgetChange, options: ProtectedOptions): Promise<WorkBudgetStatus>
  /** Returns the budget of a session or run with the amounts used. */
  readWork(state: SessionState, runId?: string): Promise<WorkBudgetStatus>
  /** Lists a run as waiting for its owner's budget. If the budget allows it by now, wakes the run. */
  update: AskingSessions["update"]
}

interface BudgetsDeps extends WaitingRunsDeps {
  ledger: Ledger
  index: Pick<RunIndex, "get">
}

const ATTEMPTS = 5

export function createBudgets(deps: BudgetsDeps): Budgets {
  const { records, index } = deps
  const waiting = createWaitingRuns(deps)
  const ownerBudget = createOwnerBudget(deps)

  const requireInRun: RequireBudget = async (session, run, options) => {
    await requireRoom(session, run, options)
    const { runId } = run
    const { reached } = await ownerBudget.look(session, runId, options)
    if (!reached) return
    const known = runOf(session.state, runId)
    throw known && isAnsweredAtOnce(known) ? ownerBudgetReached(reached) : parkedForOwner(reached)
  }

  return {
    async read(owner, options) {
      const { budget } = await storedBudget(records, owner, options)
      return budgetStatus(deps, owner, budget, options)
    },
    async change(owner, change, options) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { budget, version } = await storedBudget(records, owner, options)
        const value = { ...budget, ...change }
        if (loosensBudget(budget, value)) requireLoosening("your budget", options)
        const condition = version === undefined ? { ifAbsent: true as const } : { ifVersion: version }
        const put = await records.put(budgetKey(owner), { value }, { ...condition, ...options })
        if (put === undefined) continue
        const status = await budgetStatus(deps, owner, value, options)
        if (!status.reached) await waiting.wakeAll(owner, options)
        return status
      }
      throw new AppError("storage_conflict", "The budget was changed elsewhere. Reload it and try again.")
    },
    async require(owner, options) {
      const status = await findReachedBudget(deps, owner, options)
      if (status) throw ownerBudgetReached(status)
    },
    requireInRun,
    reserveInRun: createReserveCall({ ...deps, requireRoom: requireInRun }),
    changeWork: (subject, change, options) => changeWorkBudget(deps, subject, change, options),
    readWork: async (state, runId) => workBudgetStatus(state, runId),
    async update({ sid }, runId, options) {
      const ref = await index.get(runId, options)
      if (!ref) return
      // List the run first, then check the budget. If a client raises the budget in between, either the client finds
      // the run in the list, or the check sees the new budget.
      await waiting.list(ref.owner, { sid, runId }, options)
      if (!(await findReachedBudget(deps, ref.owner, options))) await waiting.wake({ sid, runId }, options)
    },
  }
}

function ownerBudgetReached(status: ReachedBudget): AppError {
  const { limit, resets_at } = status.reached
  return new AppError("budget_reached", reachedMessage(status), { limit, maximum: status[limit], resets_at })
}
