import { useState } from "react"
import * as z from "zod"
import { useStudio } from "../../app/studio.ts"
import type { SessionStore } from "../../stream/session-store.ts"
import { isRunning } from "../../stream/view.ts"
import { startAgent } from "../home/start-agent.ts"

/** Gives the session's agent a task, or a message if it works at one. */
export function useSend(session: SessionStore) {
  const { api } = useStudio()
  const [sending, setSending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const sessionId = session.sessionId

  function ask(text: string): Promise<unknown> {
    const { run, agent } = session.store.getState().live
    if (isRunning(run)) {
      const body = { content: text, source: "ui" }
      return api.send("POST", `/api/v1/sessions/${encodeURIComponent(sessionId)}/messages`, z.unknown(), { body })
    }
    const who = run?.agent ?? agent.cli ?? "mock"
    return startAgent(api, { sessionId, task: text, agent: who, repository: null, consent: false })
  }

  /** Whether it was taken. */
  async function send(text: string): Promise<boolean> {
    setSending(true)
    setError(null)
    try {
      await ask(text)
      return true
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure))
      return false
    } finally {
      setSending(false)
    }
  }

  return { send, sending, error }
}
