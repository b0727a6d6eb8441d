import { AppError } from "../errors.ts"
import { applyEvent, type SessionState } from "../state.ts"
import { activeRuns } from "../work/runs/state.ts"
import type { Rule } from "./session-log.ts"
import { isLive } from "./state.ts"

/** Opens a session that isn't, and says nothing to one that is. */
export function openSession(sessionId: string, about: { name?: string; repository?: string } = {}): Rule {
  return (state) => (isLive(state) ? [] : [{ ...opened(state, sessionId), ...about }])
}

/** Asks the rule about the session as it would be once open, and opens it in the same batch. */
export function inOpenSession(sessionId: string, rule: Rule): Rule {
  return (state) => {
    if (isLive(state)) return rule(state)
    const event = opened(state, sessionId)
    const ts = state.changedAt ?? new Date(0).toISOString()
    const verdict = rule(applyEvent(state, { ...event, event_id: "", seq: state.head + 1, ts }))
    return verdict instanceof AppError ? verdict : [event, ...verdict]
  }
}

/** Asks the rule only of a session that exists. */
export function inLiveSession(rule: Rule): Rule {
  return (state) => (isLive(state) ? rule(state) : new AppError("session_deleted", "This session was deleted."))
}

/** Deletes the session and with it what runs in it: nobody can add to a run or to the files after that. */
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

function opened(state: SessionState, sessionId: string) {
  return { type: "session_opened" as const, session_id: sessionId, incarnation: state.session.incarnation + 1 }
}
