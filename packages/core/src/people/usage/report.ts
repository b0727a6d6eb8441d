import { AppError } from "../../errors.ts"
import { PRICES_AS_OF } from "../../models/price-list.ts"
import { SEARCH_FEES_AS_OF } from "../../models/prices.ts"
import { costOf } from "../../work/usage/cost.ts"
import { NO_TOKENS, plus } from "../../work/usage/counts.ts"
import { LEDGER_DAYS, type Ledger } from "../../work/usage/ledger.ts"
import {
  type ContainerSize,
  type ContainerSizes,
  MACHINE_PRICES_AS_OF,
  MACHINE_PRICES_REGION,
  machineHourUsd,
  machineSeconds,
  machineUsd,
  nameOfSize,
} from "../../work/usage/machines.ts"
import type { LedgerEntry, UsageRow } from "../../work/usage/schema.ts"
import { keysIn, type UsageGroup, UsageKey, type UsageQuery, type UsageReport, type UsageTotal } from "./schema.ts"

const DAY_MS = 86_400_000
const USUAL_DAYS = 30

type Names = Record<UsageKey, string | null>

/**
 * Reports an owner's usage, grouped and sorted by the requested keys. Earlier containers of the default size are priced
 * as if they had its current value.
 */
export async function reportUsage(
  {
    ledger,
    clock,
    containers,
  }: { ledger: Pick<Ledger, "read">; clock: { now(): number }; containers?: ContainerSizes },
  owner: string,
  query: UsageQuery,
  options: { signal: AbortSignal },
): Promise<UsageReport> {
  const container = containers?.usual
  const days = daysOf(query, clock.now())
  const keys = keysIn(query.group_by) ?? []
  const groups = new Map<string, UsageGroup>()
  let total = NOTHING
  for await (const entry of ledger.read(owner, days, options)) {
    for (const row of entry.rows) {
      const names = namesOf(entry, row)
      if (!isMeant(names, query)) continue
      total = withRow(total, row, container)
      const key = Object.fromEntries(keys.map((name) => [name, names[name]]))
      const id = JSON.stringify(Object.values(key))
      groups.set(id, { ...key, ...withRow(groups.get(id) ?? NOTHING, row, container) })
    }
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
  const as_of = { prices_as_of: PRICES_AS_OF, search_fees_as_of: SEARCH_FEES_AS_OF }
  return { ...days, ...as_of, machines: machineHours(containers), groups: sorted, total }
}

/** Returns the machines' prices, for containers of the stage's sizes. */
function machineHours({ usual, others = [] }: Partial<ContainerSizes> = {}): UsageReport["machines"] {
  return {
    prices_as_of: MACHINE_PRICES_AS_OF,
    region: MACHINE_PRICES_REGION,
    container_hour_usd: machineHourUsd("container", usual),
    container_sizes: others.map((size) => ({ size: nameOfSize(size), hour_usd: machineHourUsd("container", size) })),
    function_hour_usd: machineHourUsd("function"),
  }
}

function daysOf({ from, to }: UsageQuery, now: number): { from: string; to: string } {
  const last = to ?? dayOf(now)
  const first = from ?? dayOf(Date.parse(last) - (USUAL_DAYS - 1) * DAY_MS)
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1
  if (days >= 1 && days <= LEDGER_DAYS) return { from: first, to: last }
  const message = `The range must span 1 to ${LEDGER_DAYS} days, and its start must not be after its end.`
  throw new AppError("validation_error", message, { from: first, to: last })
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

function namesOf(entry: LedgerEntry, { day, account, provider, model }: UsageRow): Names {
  const { repository, session_id: session, run_id: run, agent_id: agent, kind } = entry
  return { day, account, provider, model, repository, session, run, agent, kind }
}

function isMeant(names: Names, query: UsageQuery): boolean {
  return UsageKey.options.every((name) => name === "day" || query[name] === undefined || query[name] === names[name])
}

const NOTHING: UsageTotal = {
  ...{ tokens: NO_TOKENS, estimated_input: 0, estimated_output: 0 },
  ...{ cost_usd: null, cost_is_complete: true, reports: 0, unreported: 0, searches: 0 },
  ...{ machine_seconds: 0, machine_usd: 0 },
}

export function totalOfRows(rows: UsageRow[], container?: ContainerSize): UsageTotal {
  return rows.reduce((sum, row) => withRow(sum, row, container), NOTHING)
}

function withRow(sum: UsageTotal, row: UsageRow, container: ContainerSize | undefined): UsageTotal {
  const { usd, isComplete } = costOf(row)
  return {
    tokens: plus(sum.tokens, row.tokens),
    estimated_input: sum.estimated_input + row.estimated.input,
    estimated_output: sum.estimated_output + row.estimated.output,
    cost_usd: usd === null ? sum.cost_usd : (sum.cost_usd ?? 0) + usd,
    cost_is_complete: sum.cost_is_complete && isComplete,
    reports: sum.reports + row.reports,
    unreported: sum.unreported + row.unreported,
    searches: sum.searches + row.searches,
    machine_seconds: sum.machine_seconds + machineSeconds(row.machine),
    machine_usd: sum.machine_usd + machineUsd(row.machine, container),
  }
}
