import { useState } from "react"
import { anything } from "../../api/decode.ts"
import { errorText } from "../../api/error-text.ts"
import { startAgent } from "../../session/actions/start-agent.ts"
import { useStudio } from "../../session/context/studio.ts"
import { isRunning } from "../../session/stream/run.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"

/** Sends the agent of the newest run a message while it works, or else its next task. */
export function useSendMessage(session: SessionStore) {
  const { api } = useStudio()
  const [sending, setSending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const sessionId = session.sessionId

  async function ask(text: string): Promise<unknown> {
    const { run, agent } = session.store.getState().live
    if (isRunning(run)) {
      const body = { content: text, source: "ui" as const, agent_id: run?.agentId }
      const path = { id: sessionId }
      return api.call("POST /api/v1/sessions/{id}/messages", { path, body, response: anything })
    }
    const who = run?.agent ?? agent.cli ?? "mock"
    return startAgent(api, {
      sessionId,
      task: text,
      agent: who,
      repository: null,
      consent: false,
      of: run ?? undefined,
    })
  }

  /** Returns whether it was accepted. */
  async function send(text: string): Promise<boolean> {
    setSending(true)
    setError(null)
    try {
      await ask(text)
      return true
    } catch (failure) {
      setError(errorText(failure))
      return false
    } finally {
      setSending(false)
    }
  }

  return { send, sending, error }
}
