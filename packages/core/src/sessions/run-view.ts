import type { LogEvent } from "../events.ts"
import { logName } from "../kernel/keys.ts"
import type { Log } from "../log/log.ts"
import { PRICES_AS_OF } from "../models/price-list.ts"
import { totalOfRows } from "../people/usage/report.ts"
import { isForRunner, usesWorktree } from "../work/runs/kinds.ts"
import type { Launcher } from "../work/runs/launcher.ts"
import type { LocatedRun } from "../work/runs/runs.ts"
import type { Run, RunCost } from "../work/runs/schema.ts"
import { type ContainerSize, MACHINE_PRICES_AS_OF } from "../work/usage/machines.ts"
import type { UsageRow } from "../work/usage/schema.ts"

/** Describes a run for the API, based on the session's state, the run's usage and its last event. */
export async function describeRun(
  { log, launcher, container }: { log: Log; launcher: Pick<Launcher, "waitingBefore">; container?: ContainerSize },
  { ref, run, usage }: Pick<LocatedRun, "ref" | "run" | "usage">,
  options: { signal: AbortSignal },
): Promise<Run> {
  const mayWait = isForRunner(run) && run.status === "queued"
  const [last, before] = await Promise.all([
    run.lastSeq === null ? undefined : eventAt(log, ref.sid, run.lastSeq, options),
    mayWait ? launcher.waitingBefore?.(ref.sid, options) : undefined,
  ])
  return {
    run_id: run.runId,
    workspace_id: ref.session_id,
    agent_id: run.agentId,
    worktree: usesWorktree(run) ? run.worktree : null,
    status: run.status,
    waiting_before: before ?? null,
    model: run.model,
    created_at: run.createdAt,
    ended_at: last?.ts ?? null,
    cancel_requested: run.cancelReason !== null,
    duration_ms: last && "duration_ms" in last ? last.duration_ms : null,
    workspace_version: last?.type === "run_completed" ? last.workspace_version : null,
    verdict: last?.type === "run_completed" || last?.type === "run_failed" ? (last.verdict ?? null) : null,
    warning: last?.type === "run_completed" ? (last.warning ?? null) : null,
    cost: usage && usage.rows.length > 0 ? costOfRows(usage.rows, container) : null,
    error: last?.type === "run_failed" ? { error_type: last.error_type, message: last.message, hint: last.hint } : null,
    links: {
      stream: `/v1/runs/${run.runId}/stream`,
      events: `/v1/runs/${run.runId}/events`,
      download: `/workspace/download?workspace_id=${ref.session_id}`,
    },
  }
}

/** Returns the estimated cost of a run's model usage and machine time. Costs that weren't counted are null, never 0. */
function costOfRows(rows: UsageRow[], container: ContainerSize | undefined): RunCost {
  const { cost_usd, cost_is_complete, machine_seconds, machine_usd, ...total } = totalOfRows(rows, container)
  // If the rows contain only machine time, no model usage was counted.
  const { reports, searches, estimated_input, estimated_output } = total
  const isCounted = reports + searches + estimated_input + estimated_output > 0
  return {
    ...(isCounted ? { cost_usd, cost_is_complete } : { cost_usd: null, cost_is_complete: false }),
    prices_as_of: PRICES_AS_OF,
    ...(machine_seconds > 0 ? { machine_seconds, machine_usd } : { machine_seconds: null, machine_usd: null }),
    machine_prices_as_of: MACHINE_PRICES_AS_OF,
  }
}

async function eventAt(
  log: Log,
  sid: string,
  seq: number,
  options: { signal: AbortSignal },
): Promise<LogEvent | undefined> {
  for await (const event of log.read(logName(sid), seq - 1, options)) return event
  return undefined
}
