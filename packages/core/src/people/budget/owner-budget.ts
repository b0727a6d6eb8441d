import type { SessionLog } from "../../kernel/session-log.ts"
import type { Records } from "../../storage/records.ts"
import { RunParked } from "../../work/runs/run-context.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import type { Ledger } from "../../work/usage/ledger.ts"
import { reachedMessage } from "./message.ts"
import { Budget, noBudget, type ReachedBudget } from "./schema.ts"
import { budgetStatus } from "./status.ts"

/** The budget of a run's owner, which lies outside of the run's session. */
export interface OwnerBudget {
  /** Whether the owner has one at this moment. */
  isSet(runId: string, options: { signal: AbortSignal }): Promise<boolean>
  /** Counts what the run has used, and resolves to the budget where that is used up. */
  findReached(session: Counted, runId: string, options: { signal: AbortSignal }): Promise<ReachedBudget | undefined>
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

  async function ownerWithBudget(runId: string, options: { signal: AbortSignal }): Promise<string | undefined> {
    const ref = await index.get(runId, options)
    if (!ref) return undefined
    const { budget } = await storedBudget(records, ref.owner, options)
    return Object.values(budget).some((most) => most !== null) ? ref.owner : undefined
  }

  return {
    isSet: async (runId, options) => (await ownerWithBudget(runId, options)) !== undefined,
    async findReached(session, runId, options) {
      const owner = await ownerWithBudget(runId, options)
      if (owner === undefined) return undefined
      await ledger.update(session, runId, options)
      return findReachedBudget(deps, owner, options)
    },
  }
}

/** The budget of an owner where it is used up by what the ledger has. */
export async function findReachedBudget(
  deps: Pick<OwnerBudgetDeps, "records" | "ledger" | "clock">,
  owner: string,
  options: { signal: AbortSignal },
): Promise<ReachedBudget | undefined> {
  const { budget, version } = await storedBudget(deps.records, owner, options)
  if (version === undefined) return undefined
  const status = await budgetStatus(deps, owner, budget, options)
  const { reached } = status
  return reached ? { ...status, reached } : undefined
}

/** Parks a run until there is room in its owner's budget: the budget was raised, or its day or month is over. */
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
