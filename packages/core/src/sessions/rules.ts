import type { Rule } from "../kernel/session-log.ts"
import { isLive } from "../kernel/state.ts"
import { activeRuns } from "../work/runs/state.ts"
import { isUnseen } from "./board-column.ts"

/** Session settings that a person chooses. Absent fields keep their value. */
export interface SessionSettings {
  /** Name given by a person, or null to remove it. */
  name?: string | null
  pinned?: boolean
  archived?: boolean
  /** True to record that a person has seen the last run's result. */
  viewed?: boolean
}

/** Renames, pins or archives the session, or marks it as viewed. Does nothing if that changes nothing. */
export function changeSession({ name, pinned, archived, viewed }: SessionSettings): Rule {
  return (state) => {
    const { session } = state
    return [
      ...(name !== undefined && name !== session.name ? [{ type: "session_renamed" as const, name }] : []),
      ...(pinned !== undefined && pinned !== session.pinned ? [{ type: "session_pinned" as const, pinned }] : []),
      ...(archived !== undefined && archived !== (session.archived ?? false)
        ? [{ type: "session_archived" as const, archived }]
        : []),
      ...(viewed && isUnseen(state) ? [{ type: "session_viewed" as const }] : []),
    ]
  }
}

/** Deletes the session and cancels its runs. Afterwards, nothing can be appended to its runs or files. */
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
