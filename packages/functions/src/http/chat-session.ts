import { inLiveSession } from "@switchyard/core/kernel/rules"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import type { Rule, SessionLog } from "@switchyard/core/kernel/session-log"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { principal } from "./request.ts"

/** Path of a session's chat. */
export const CHAT_PATH = "/api/v1/sessions/{id}/chat"

/** Creates the functions that open the session of a chat request. */
export function createChatSessions(deps: AppDeps) {
  const { sessions, stopping: signal } = deps
  /** Finds the caller's session. Throws `session_not_found` if there is none. */
  const find = (c: Context, id: string): Promise<SessionHandle> => sessions.find(principal(c).owner, id, { signal })

  /**
   * Opens the session for a change, which counts as activity. If an earlier change to the session's files was
   * interrupted, completes that change first.
   */
  async function open(c: Context, id: string): Promise<{ session: SessionLog; handle: SessionHandle }> {
    const handle = await find(c, id)
    const touched = await sessions.touch(principal(c).owner, handle.sessionId, { active: true, signal })
    if (!handle.state.chat.restore?.isAbandoned) return { session: touched.session, handle }
    const { finishWrite } = await import("@switchyard/core/sessions/moments/repository-write")
    await finishWrite(deps, touched.session, { signal })
    return { session: touched.session, handle: await find(c, id) }
  }

  return {
    find,
    open,
    /** Applies a rule to the caller's session. */
    async decide(c: Context, id: string, rule: Rule): Promise<void> {
      const { session } = await open(c, id)
      await session.decide(inLiveSession(rule), { signal })
    },
  }
}
