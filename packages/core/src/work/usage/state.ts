import type { LogEvent } from "../../events.ts"
import type { Part } from "../../kernel/part.ts"
import { endsRun } from "../runs/schema.ts"
import { MAX_ENDED_RUNS } from "../runs/state.ts"
import { newRunUsage, type RunUsage, usageAfter, usageAtEnd, withAmounts } from "./run-usage.ts"
import type { UsageRow } from "./schema.ts"
import type { Spent } from "./spent.ts"

/** The used part of an account's limit, as was last reported. */
export type Quota = { window: string; usedPercent: number; resetsAt: string | null; at: string }

export interface UsageState {
  /** The runs at work, and the last that ended: what they used is in the ledger before they leave. */
  runs: { [runId: string]: RunUsage }
  /** The usage of runs that left, together, by their models. */
  earlier: UsageRow[]
  /** The time for which runs were at work since the session was opened, as far as it is counted. */
  workedMs: number
  /** The limits of accounts, by the accounts' names. */
  quotas: { [account: string]: Quota[] }
}

const MAX_ACCOUNTS = 20
const MAX_WINDOWS = 6

/** The window of a refusal that names none. */
const REFUSED = "refused"

export const usagePart: Part<UsageState> = {
  version: 6,
  initial: { runs: {}, earlier: [], workedMs: 0, quotas: {} },
  // What was used stays used when its session is deleted.
  outlivesSession: true,
  apply(part, event) {
    if (event.type === "session_opened" || event.type === "session_deleted") {
      return { ...withoutActive(part), earlier: [], workedMs: 0 }
    }
    const { run_id: runId } = event
    if (event.type === "run_created") return withRun(part, event.run_id, newRunUsage(event))
    if (runId === undefined || !Object.hasOwn(part.runs, runId)) return part
    const before = part.runs[runId] as RunUsage
    if (endsRun(event)) return withoutOld(withRun(part, runId, usageAtEnd(before, event)))
    const run = usageAfter(before, event)
    const next = run === before ? part : withRun(part, runId, run)
    return withQuota(next, run.account, event)
  },
}

function withRun(part: UsageState, runId: string, run: RunUsage): UsageState {
  const more = run.workedMs - workedMsOf(part, runId)
  return { ...part, workedMs: part.workedMs + more, runs: { ...part.runs, [runId]: run } }
}

/** Without the oldest of those that ended, and those that used nothing. */
function withoutOld(part: UsageState): UsageState {
  const runs = Object.entries(part.runs).filter(([, { rows, isEnded }]) => !isEnded || rows.length > 0)
  const ended = runs.filter(([, { isEnded }]) => isEnded)
  const old = new Set(ended.slice(0, -MAX_ENDED_RUNS).map(([id]) => id))
  const left = ended.flatMap(([id, run]) => (old.has(id) && !run.isPast ? run.rows : []))
  return {
    ...part,
    runs: Object.fromEntries(runs.filter(([id]) => !old.has(id))),
    earlier: left.reduce(withUndated, part.earlier),
  }
}

function withUndated(rows: UsageRow[], row: UsageRow): UsageRow[] {
  return withAmounts(rows, { ...row, day: "", account: null })
}

/** The usage of all runs since the session was opened. */
export function rowsOfSession({ runs, earlier }: UsageState): UsageRow[] {
  return [...earlier, ...Object.values(runs).flatMap(({ isPast, rows }) => (isPast ? [] : rows))]
}

/** The usage of one run; none of one that left. */
export function rowsOfRun({ runs }: UsageState, runId: string): UsageRow[] {
  return (Object.hasOwn(runs, runId) && runs[runId]?.rows) || []
}

/** The usage of all runs since the session was opened. */
export function spentInSession(usage: UsageState): Spent {
  return { rows: rowsOfSession(usage), workedMs: usage.workedMs }
}

/** The usage of some runs; nothing of those that left. */
export function spentInRuns(usage: UsageState, runIds: readonly string[]): Spent {
  return {
    rows: runIds.flatMap((runId) => rowsOfRun(usage, runId)),
    workedMs: runIds.reduce((sum, runId) => sum + workedMsOf(usage, runId), 0),
  }
}

/** The time for which a run was at work, as far as it is counted; none of one that left. */
function workedMsOf({ runs }: Pick<UsageState, "runs">, runId: string): number {
  return (Object.hasOwn(runs, runId) && runs[runId]?.workedMs) || 0
}

/** The runs of a session that was deleted or opened anew: none of them goes on. */
function withoutActive(part: UsageState): UsageState {
  const runs = Object.entries(part.runs).filter(([, { rows }]) => rows.length > 0)
  return {
    ...part,
    runs: Object.fromEntries(runs.map(([id, run]) => [id, { ...run, machine: null, isEnded: true, isPast: true }])),
  }
}

function withQuota(part: UsageState, account: string | null, event: LogEvent): UsageState {
  const quota = account !== null && quotaIn(event)
  if (account === null || !quota) return part
  const before = Object.hasOwn(part.quotas, account) ? (part.quotas[account] ?? []) : []
  const others = before.filter(({ window }) => window !== quota.window)
  const { [account]: _, ...rest } = part.quotas
  const kept = Object.entries(rest).slice(1 - MAX_ACCOUNTS)
  return { ...part, quotas: Object.fromEntries([...kept, [account, [...others, quota].slice(-MAX_WINDOWS)]]) }
}

function quotaIn(event: LogEvent): Quota | undefined {
  if (event.type === "agent_quota") {
    const { window, used_percent: usedPercent, resets_at: resetsAt, ts: at } = event
    return { window, usedPercent, resetsAt, at }
  }
  if (event.type !== "agent_turn_finished" || event.outcome.type !== "limit") return undefined
  const { kind, resets_at: resetsAt } = event.outcome
  if (kind !== "quota_exhausted" || resetsAt === undefined) return undefined
  return { window: REFUSED, usedPercent: 100, resetsAt, at: event.ts }
}
