import type { LogEvent } from "../../events.ts"
import { logName } from "../../kernel/keys.ts"
import type { Log } from "../../log/log.ts"
import { isForRunner, usesWorktree } from "./kinds.ts"
import type { Launcher } from "./launcher.ts"
import type { RunRef } from "./run-index.ts"
import type { Run } from "./schema.ts"
import type { RunState } from "./state.ts"

/** A run as the API shows it: what the session's state says, and how it ended from its last event. */
export async function describeRun(
  { log, launcher }: { log: Log; launcher: Pick<Launcher, "waitingBefore"> },
  { ref, run }: { ref: RunRef; run: RunState },
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
    error: last?.type === "run_failed" ? { error_type: last.error_type, message: last.message, hint: last.hint } : null,
    links: {
      stream: `/v1/runs/${run.runId}/stream`,
      events: `/v1/runs/${run.runId}/events`,
      download: `/workspace/download?workspace_id=${ref.session_id}`,
    },
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
