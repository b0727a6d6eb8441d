import type { LogEvent } from "../../events.ts"
import type { SessionLogDeps } from "../../kernel/session-log.ts"
import type { LogLine } from "../../log-lines.ts"
import type { SessionState } from "../../state.ts"
import { endsRun } from "../runs/schema.ts"
import { spentIn } from "./spent.ts"

/** End of a run, for the logs of an installation. */
interface RunOutcome {
  run_id: string | undefined
  run_kind: string | undefined
  status: "completed" | "failed" | "cancelled"
  error_type?: string
  /** True if the run failed because of the installation, a model provider or AWS, and not because of its task. */
  fault: boolean
  duration_ms: number
  tokens: number
  /** Cost of the tokens. Null if no price is known. */
  usd: number | null
}

/**
 * Types of failures that an operator should know about. A runner that can't be started isn't among them, because its
 * launch is logged too.
 */
const FAULTS: ReadonlySet<string> = new Set([
  ...["unknown_error", "executor_lost", "provider_error", "connection_error", "invalid_response", "timed_out"],
  ...["storage_unavailable", "storage_damaged", "storage_conflict", "aws_credentials", "permission_denied"],
  ...["not_installed", "program_failed", "out_of_memory", "too_many_processes"],
])

/** Returns an observer of session logs that writes a line for each run that ends. */
export function createOutcomeLog(logLine: LogLine): NonNullable<SessionLogDeps["onAppended"]> {
  return (sid, events, state) => {
    for (const outcome of runOutcomes(events, state)) logLine("outcome", { sid, ...outcome })
  }
}

/** Returns the outcomes of the runs that these events end. `state` includes the events. */
function runOutcomes(events: readonly LogEvent[], { runs, usage }: SessionState): RunOutcome[] {
  return events.flatMap((event) => {
    if (!endsRun(event) || !("duration_ms" in event)) return []
    const { run_id: runId = "", type, duration_ms } = event
    const { tokens, usd } = spentIn(usage.runs[runId]?.rows ?? [])
    const error_type = type === "run_failed" ? event.error_type : undefined
    return [
      {
        run_id: runId,
        run_kind: runs.byId[runId]?.kind,
        status: type === "run_failed" ? "failed" : type === "run_cancelled" ? "cancelled" : "completed",
        ...(error_type !== undefined && { error_type }),
        fault: error_type !== undefined && FAULTS.has(error_type),
        duration_ms,
        tokens,
        usd,
      },
    ]
  })
}
