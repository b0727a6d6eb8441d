import { AppError } from "../../errors.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { SessionState } from "../../state.ts"
import type { Session } from "../schema.ts"
import { toSession } from "../session-view.ts"

/**
 * Yields the session as shown in lists, and again after each change. A new activity time alone doesn't count as a
 * change. Yields "quiet" if nothing happens for a while. Throws `session_not_found` once the session is deleted.
 */
export async function* followSummary(
  deps: Pick<SessionLogDeps, "log" | "fold">,
  found: SessionHandle,
  { retentionMs, signal }: { retentionMs: number; signal: AbortSignal },
): AsyncGenerator<Session | "quiet"> {
  let { state } = found
  let sent = toSession(found, { retentionMs })
  yield sent
  for await (const event of deps.log.tail(logName(found.sid), state.head, { signal })) {
    if (event.type === "heartbeat") {
      yield "quiet"
      continue
    }
    const before = state
    state = deps.fold.apply(before, event)
    if (!isLive(state)) throw new AppError("session_not_found", "Session not found.")
    if (!hasChangedParts(before, state)) continue
    const summary = toSession({ ...found, state }, { retentionMs })
    if (textOf(summary) === textOf(sent)) continue
    sent = summary
    yield summary
  }
}

/** False if an event, such as one with a piece of text, has only changed the head and the time of the last change. */
function hasChangedParts(before: SessionState, after: SessionState): boolean {
  const parts = Object.keys(after) as (keyof SessionState)[]
  return parts.some((part) => part !== "head" && part !== "changedAt" && before[part] !== after[part])
}

/**
 * Returns the fields whose changes matter to clients, as JSON. The times and counters that are left out change with
 * every event.
 */
function textOf({ last_activity, expires_at, latest_seq, ...rest }: Session): string {
  return JSON.stringify(rest)
}
