import type { SessionLog } from "../../kernel/session-log.ts"
import type { Records } from "../../storage/records.ts"
import { RunParked } from "../../work/runs/run-context.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import type { Ledger } from "../../work/usage/ledger.ts"
import { reachedMessage } from "./message.ts"
import { Budget, noBudget, type ReachedBudget } from "./schema.ts"
import { budgetStatus } from "./status.ts"

/** Access to the budget of a run's owner, which isn't stored in the run's session. */
export interface OwnerBudget {
  /** Returns true if the owner currently has a budget. */
  isSet(runId: string, options: { signal: AbortSignal }): Promise<boolean>
  /** Counts the run's usage, and checks whether the budget allows more. */
  look(session: Counted, runId: string, options: { signal: AbortSignal }): Promise<OwnerBudgetLook>
}

interface OwnerBudgetLook {
  isSet: boolean
  /** The budget if it is used up. Null otherwise. */
  reached: ReachedBudget | null
}

type Counted = Pick<SessionLog, "sid" | "state">

interface OwnerBudgetDeps {
  records: Records
  ledger: Ledger
  index: Pick<RunIndex, "get">
  clock: { now(): number }
}

export function createOwnerBudget(deps: OwnerBudgetDeps): OwnerBudget {
  const { records, ledger, index } = deps

  async function find(runId: string, options: { signal: AbortSignal }) {
    const ref = await index.get(runId, options)
    if (!ref) return undefined
    const { budget } = await storedBudget(records, ref.owner, options)
    return Object.values(budget).some((most) => most !== null) ? { owner: ref.owner, budget } : undefined
  }

  return {
    isSet: async (runId, options) => (await find(runId, options)) !== undefined,
    async look(session, runId, options) {
      const found = await find(runId, options)
      if (!found) return { isSet: false, reached: null }
      await ledger.update(session, runId, options)
      return { isSet: true, reached: (await reachedOf(deps, found.owner, found.budget, options)) ?? null }
    },
  }
}

/** Returns the owner's budget if, according to the ledger, it is used up. */
export async function findReachedBudget(
  deps: Counting & { records: Records },
  owner: string,
  options: { signal: AbortSignal },
): Promise<ReachedBudget | undefined> {
  const { budget, version } = await storedBudget(deps.records, owner, options)
  return version === undefined ? undefined : reachedOf(deps, owner, budget, options)
}

type Counting = Pick<OwnerBudgetDeps, "ledger" | "clock">

async function reachedOf(deps: Counting, owner: string, budget: Budget, options: { signal: AbortSignal }) {
  const status = await budgetStatus(deps, owner, budget, options)
  const { reached } = status
  return reached ? { ...status, reached } : undefined
}

/**
 * Creates the error that parks a run until its owner's budget is raised, or until the day or month of the limit is
 * over.
 */
export function parkedForOwner(status: ReachedBudget): RunParked {
  return new RunParked(reachedMessage(status), { until: status.reached.resets_at, budget: true })
}

export async function storedBudget(records: Records, owner: string, options: { signal: AbortSignal }) {
  const record = await records.get(budgetKey(owner), options)
  return { budget: record ? Budget.parse(record.value) : noBudget, version: record?.version }
}

export function budgetKey(owner: string) {
  return { partition: `settings/${owner}`, sort: "budget" }
}
