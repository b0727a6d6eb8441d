import { anything } from "../../api/decode.ts"
import { useAttempt } from "../../ui/use-attempt.ts"
import { isRunning } from "../stream/run.ts"
import { useShownSession } from "../view/use-session.ts"
import { startAgent } from "./start-agent.ts"

/** Sends a message to the latest run's agent if it is working; otherwise gives it its next task. */
export function useSendMessage() {
  const { sessionId, api, store } = useShownSession()
  const { attempt, busy, error } = useAttempt()

  async function ask(text: string): Promise<unknown> {
    const { run, agent } = store.getState().live
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

  return {
    /** Resolves to true if the message was accepted. */
    send: (text: string) => attempt(() => ask(text)),
    sending: busy,
    error,
  }
}
