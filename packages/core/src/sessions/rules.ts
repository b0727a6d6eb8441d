import type { Rule } from "../kernel/session-log.ts"
import { isLive } from "../kernel/state.ts"
import { activeRuns } from "../work/runs/state.ts"

/** Session settings chosen by a person. Absent fields keep their value. */
export interface SessionSettings {
  /** Null removes the name given by a person. */
  name?: string | null
  pinned?: boolean
}

/** Renames or pins the session, if that changes anything. */
export function changeSession({ name, pinned }: SessionSettings): Rule {
  return ({ session }) => [
    ...(name !== undefined && name !== session.name ? [{ type: "session_renamed" as const, name }] : []),
    ...(pinned !== undefined && pinned !== session.pinned ? [{ type: "session_pinned" as const, pinned }] : []),
  ]
}

/** Deletes the session and cancels its runs. Nothing can be appended to its runs or files afterwards. */
export function deleteSession(reason: "request" | "retention"): Rule {
  return (state) => {
    if (!isLive(state)) return []
    if (reason === "retention" && activeRuns(state).length > 0) return []
    const cancelled = activeRuns(state).map((run) => ({
      type: "run_cancelled" as const,
      run_id: run.runId,
      agent_id: run.agentId,
      duration_ms: 0,
      reason: "session deleted",
    }))
    return [...cancelled, { type: "session_deleted", incarnation: state.session.incarnation, reason }]
  }
}
