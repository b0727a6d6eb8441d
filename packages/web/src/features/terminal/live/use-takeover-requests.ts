import { useState } from "react"
import { anything } from "../../../api/decode.ts"
import { errorText } from "../../../api/error-text.ts"
import { useStudio, useToast } from "../../../session/context/studio.ts"
import type { SessionStore } from "../../../session/stream/session-store.ts"

/** Requests control of the agent's own interface, or hands it back. The log reports the result. */
export function useTakeoverRequests(session: SessionStore) {
  const { api } = useStudio()
  const toast = useToast()
  const [asking, setAsking] = useState(false)

  /** Returns whether the request was accepted. */
  async function ask(what: `POST /api/v1/sessions/{id}/${"take-over" | "hand-back"}`): Promise<boolean> {
    setAsking(true)
    try {
      const query = { agent_id: session.store.getState().live.run?.agentId }
      await api.call(what, { path: { id: session.sessionId }, query, response: anything })
      return true
    } catch (failure) {
      toast(errorText(failure), "err")
      return false
    } finally {
      setAsking(false)
    }
  }

  return {
    asking,
    takeOver: () => ask("POST /api/v1/sessions/{id}/take-over"),
    handBack: () => ask("POST /api/v1/sessions/{id}/hand-back"),
  }
}
