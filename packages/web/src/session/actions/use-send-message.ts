import { anything } from "../../api/decode.ts"
import { startAgent } from "../../session/actions/start-agent.ts"
import { useStudio } from "../../session/context/studio.ts"
import { isRunning } from "../../session/stream/run.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { useAttempt } from "../../ui/use-attempt.ts"

/** Sends a message to the latest run's agent if it is working; otherwise gives it its next task. */
export function useSendMessage() {
  const session = useShownSession()
  const { api } = useStudio()
  const { attempt, busy, message } = useAttempt()
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

  return {
    /** Resolves to true if the message was accepted. */
    send: (text: string) => attempt(() => ask(text)),
    sending: busy,
    error: message,
  }
}
