import { AppError } from "../errors.ts"
import type { SessionState } from "../state.ts"
import type { Rule } from "./session-log.ts"
import { isLive, sessionPart } from "./state.ts"

/** Opens a session that isn't, and says nothing to one that is. */
export function openSession(sessionId: string, about: { name?: string; repository?: string } = {}): Rule {
  return (state) => (isLive(state) ? [] : [{ ...opened(state, sessionId), ...about }])
}

/**
 * Asks the rule about the session as it would be once open, and opens it in the same batch. Nothing but the session itself
 * differs then: all that an earlier life left went with its deletion.
 */
export function inOpenSession(sessionId: string, rule: Rule): Rule {
  return (state) => {
    if (isLive(state)) return rule(state)
    const event = opened(state, sessionId)
    const head = state.head + 1
    const placed = { ...event, event_id: "", seq: head, ts: state.changedAt ?? new Date(0).toISOString() }
    const verdict = rule({ ...state, head, changedAt: placed.ts, session: sessionPart.apply(state.session, placed) })
    return verdict instanceof AppError ? verdict : [event, ...verdict]
  }
}

/** Asks the rule only of a session that exists. */
export function inLiveSession(rule: Rule): Rule {
  return (state) => (isLive(state) ? rule(state) : new AppError("session_deleted", "This session was deleted."))
}

function opened(state: SessionState, sessionId: string) {
  return { type: "session_opened" as const, session_id: sessionId, incarnation: state.session.incarnation + 1 }
}
