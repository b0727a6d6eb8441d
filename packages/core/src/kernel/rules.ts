import { AppError } from "../errors.ts"
import type { EventOf } from "../events.ts"
import type { SessionState } from "../state.ts"
import type { Rule } from "./session-log.ts"
import { isLive, sessionPart } from "./state.ts"

/** Details of a session that are known when it is opened. */
export type OpeningDetails = Pick<EventOf<"session_opened">, "name" | "repository" | "copied_from">

export function openSession(sessionId: string, about: OpeningDetails = {}): Rule {
  return (state) => (isLive(state) ? [] : [{ ...opened(state, sessionId), ...about }])
}

/**
 * Applies the rule as if the session were open. If it isn't, also opens it in the same batch. Only the session part has
 * to be simulated, because all other parts were reset when the session was deleted.
 */
export function inOpenSession(sessionId: string, rule: Rule, about: { repository?: string } = {}): Rule {
  return (state) => {
    if (isLive(state)) return rule(state)
    const event = { ...opened(state, sessionId), ...about }
    const head = state.head + 1
    const stored = { ...event, event_id: "", seq: head, ts: state.changedAt ?? new Date(0).toISOString() }
    const verdict = rule({ ...state, head, changedAt: stored.ts, session: sessionPart.apply(state.session, stored) })
    return verdict instanceof AppError ? verdict : [event, ...verdict]
  }
}

/** Applies the rule only if the session exists. */
export function inLiveSession(rule: Rule): Rule {
  return (state) => (isLive(state) ? rule(state) : new AppError("session_deleted", "This session was deleted."))
}

/** Returns the events of both rules, or the first error. Skips the second rule if the first rule returns no events. */
export function both(first: Rule, second: Rule): Rule {
  return (state) => {
    const events = first(state)
    if (events instanceof AppError || events.length === 0) return events
    const others = second(state)
    return others instanceof AppError ? others : [...events, ...others]
  }
}

function opened(state: SessionState, sessionId: string) {
  return { type: "session_opened" as const, session_id: sessionId, incarnation: state.session.incarnation + 1 }
}
