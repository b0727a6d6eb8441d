import type { LogEvent } from "../../events.ts"
import type { Part } from "../../kernel/part.ts"
import { endsRun } from "../runs/schema.ts"
import { MAX_ENDED_RUNS } from "../runs/state.ts"
import { newRunUsage, type RunUsage, usageAfter, usageAtEnd, withAmounts } from "./run-usage.ts"
import type { UsageRow } from "./schema.ts"
import type { Spent } from "./spent.ts"

/** Used share of an account's limit, as last reported. */
export type Quota = { window: string; usedPercent: number; resetsAt: string | null; at: string }

export interface UsageState {
  /**
   * Active runs, and the runs that ended most recently. A run's usage is stored in the ledger before the run is dropped
   * here.
   */
  runs: { [runId: string]: RunUsage }
  /** Usage of all runs dropped from this state, by model. */
  earlier: UsageRow[]
  /** Usage of the runs dropped from this state, by node of the session's team. */
  earlierOfNodes: SpentOnNodes
  /** Counted working time of all runs since the session was opened. */
  workedMs: number
  /** Quota reports by account name. */
  quotas: { [account: string]: Quota[] }
  /** Name of the size of the session's container. Absent for the default size. */
  containerSize?: string
}

const MAX_ACCOUNTS = 20
const MAX_WINDOWS = 6

/** Window of a refusal, because refusals don't name the window of their limit. */
const REFUSED = "refused"

export const usagePart: Part<UsageState> = {
  version: 7,
  initial: { runs: {}, earlier: [], earlierOfNodes: {}, workedMs: 0, quotas: {} },
  // Usage is kept after its session is deleted.
  outlivesSession: true,
  apply(part, event) {
    if (event.type === "session_opened" || event.type === "session_deleted") {
      return { ...withoutActive(part), earlier: [], earlierOfNodes: {}, workedMs: 0 }
    }
    if (event.type === "runner_awaited" && event.phase === "requested") return withSize(part, event.size)
    const { run_id: runId } = event
    if (event.type === "run_created") return withRun(part, event.run_id, newRunUsage(event))
    if (NODES_CHANGE.has(event.type)) return withNodes(part, event)
    if (runId === undefined || !Object.hasOwn(part.runs, runId)) return part
    const before = part.runs[runId] as RunUsage
    if (endsRun(event)) return withoutOld(withRun(part, runId, usageAtEnd(before, event)))
    const run = usageAfter(before, event, part.containerSize)
    const next = run === before ? part : withRun(part, runId, run)
    return withQuota(next, run.account, event)
  },
}

function withSize({ containerSize: before, ...part }: UsageState, size: string | undefined): UsageState {
  return size === undefined ? part : { ...part, containerSize: size }
}

const NODES_CHANGE: ReadonlySet<string> = new Set([
  ...["team_started", "work_node_started", "work_node_reopened", "budget_set"],
])

/**
 * Assigns runs to the budget of a node. When a person sets the budget or requests the node again, earlier runs no
 * longer count.
 */
function withNodes(part: UsageState, event: LogEvent): UsageState {
  switch (event.type) {
    case "team_started":
      return withoutNode(part, null)
    case "work_node_started": {
      const run = Object.hasOwn(part.runs, event.node_run_id) ? part.runs[event.node_run_id] : undefined
      return run ? withRun(part, event.node_run_id, { ...run, nodeId: event.node_id }) : part
    }
    case "work_node_reopened":
      return event.anew ? withoutNode(part, event.node_id) : part
    case "budget_set": {
      const { run_id: runId = "" } = event
      const run = event.scope === "run" && Object.hasOwn(part.runs, runId) ? part.runs[runId] : undefined
      return run?.nodeId ? withRun(withoutNode(part, run.nodeId), runId, run) : part
    }
    default:
      return part
  }
}

function withRun(part: UsageState, runId: string, run: RunUsage): UsageState {
  const more = run.workedMs - spentInRun(part, runId).workedMs
  return { ...part, workedMs: part.workedMs + more, runs: { ...part.runs, [runId]: run } }
}

/** Drops ended runs without usage and the oldest ended runs, whose usage is added to the `earlier` totals. */
function withoutOld(part: UsageState): UsageState {
  const ended = Object.entries(part.runs).filter(([, { isEnded }]) => isEnded)
  const recent = ended.filter(([, { rows }]) => rows.length > 0).slice(-MAX_ENDED_RUNS)
  const kept = new Set(recent.map(([id]) => id))
  const left = ended.flatMap(([id, run]) => (kept.has(id) || run.isPast ? [] : [run]))
  return {
    ...part,
    runs: Object.fromEntries(Object.entries(part.runs).filter(([id, { isEnded }]) => !isEnded || kept.has(id))),
    earlier: left.flatMap(({ rows }) => rows).reduce(withUndated, part.earlier),
    earlierOfNodes: left.reduce(withSpentOnNode, part.earlierOfNodes),
  }
}

type SpentOnNodes = { [nodeId: string]: { rows: UsageRow[]; workedMs: number } }

function withSpentOnNode(nodes: SpentOnNodes, { nodeId, rows, workedMs }: RunUsage): SpentOnNodes {
  if (nodeId === null) return nodes
  const before = (Object.hasOwn(nodes, nodeId) && nodes[nodeId]) || { rows: [], workedMs: 0 }
  const spent = { rows: rows.reduce(withUndated, before.rows), workedMs: before.workedMs + workedMs }
  return { ...nodes, [nodeId]: spent }
}

/** Removes the usage of this node, or of all nodes if `nodeId` is null. */
function withoutNode(part: UsageState, nodeId: string | null): UsageState {
  const isMeant = (run: RunUsage) => run.nodeId !== null && (nodeId === null || run.nodeId === nodeId)
  const runs = Object.entries(part.runs).map(([id, run]) => [id, isMeant(run) ? { ...run, nodeId: null } : run])
  const earlier = Object.entries(part.earlierOfNodes).filter(([id]) => nodeId !== null && id !== nodeId)
  return { ...part, runs: Object.fromEntries(runs), earlierOfNodes: Object.fromEntries(earlier) }
}

function withUndated(rows: UsageRow[], row: UsageRow): UsageRow[] {
  return withAmounts(rows, { ...row, day: "", account: null })
}

/** Returns the usage of all runs since the session was opened. */
export function spentInSession({ runs, earlier, workedMs }: UsageState): Spent {
  const rows = Object.values(runs).flatMap((run) => (run.isPast ? [] : run.rows))
  return { rows: [...earlier, ...rows], workedMs }
}

/** Returns the usage of one run. Empty if the run was dropped from the state. */
export function spentInRun({ runs }: Pick<UsageState, "runs">, runId: string): Spent {
  const { rows = [], workedMs = 0 } = (Object.hasOwn(runs, runId) && runs[runId]) || {}
  return { rows, workedMs }
}

/** Returns the usage that counts toward a team node's budget. */
export function spentOnNode({ runs, earlierOfNodes }: UsageState, nodeId: string): Spent {
  const earlier = Object.hasOwn(earlierOfNodes, nodeId) ? earlierOfNodes[nodeId] : undefined
  const later = Object.values(runs).filter((run) => run.nodeId === nodeId)
  return {
    rows: [...(earlier?.rows ?? []), ...later.flatMap(({ rows }) => rows)],
    workedMs: later.reduce((sum, { workedMs }) => sum + workedMs, earlier?.workedMs ?? 0),
  }
}

/** Drops the runs without usage, and marks all others as ended and past, when a session is deleted or opened. */
function withoutActive(part: UsageState): UsageState {
  const runs = Object.entries(part.runs).filter(([, { rows }]) => rows.length > 0)
  return {
    ...part,
    runs: Object.fromEntries(
      runs.map(([id, run]) => [id, { ...run, nodeId: null, machine: null, isEnded: true, isPast: true }]),
    ),
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
