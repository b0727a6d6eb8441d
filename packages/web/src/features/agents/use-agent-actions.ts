import type { AgentChanges, NewAgent } from "@switchyard/core/agents/conversations/agent-schema"
import type * as z from "zod"
import { anything } from "../../api/decode.ts"
import { useStudio, useToast } from "../../session/context/studio.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { errorText } from "../../ui/error-text.ts"

export interface Message {
  text: string
  /** The paths of uploads. */
  images: string[]
}

export function useAgentActions() {
  const { sessionId } = useShownSession()
  const { api } = useStudio()
  const toast = useToast()
  const place = (agent: string) => ({ path: { id: sessionId, agent } })

  /** Says what failed, and whether nothing did. */
  async function attempt(action: Promise<unknown>): Promise<boolean> {
    try {
      await action
      return true
    } catch (error) {
      toast(errorText(error), "err")
      return false
    }
  }

  return {
    say: (agent: string, { text, images }: Message, messageId: string) => {
      const content = text.trim() === "" ? "See the attached image." : text
      const about = images.length > 0 ? { images } : {}
      const body = { content, source: "ui" as const, message_id: messageId, ...about }
      return api.call("POST /api/v1/sessions/{id}/agents/{agent}/messages", {
        ...place(agent),
        body,
        response: anything,
      })
    },
    interrupt: (agent: string) =>
      attempt(
        api.call("POST /api/v1/sessions/{id}/agents/{agent}/interrupt", {
          ...place(agent),
          body: {},
          response: anything,
        }),
      ),
    change: (agent: string, body: z.input<typeof AgentChanges>) =>
      api.call("PATCH /api/v1/sessions/{id}/agents/{agent}", { ...place(agent), body, response: anything }),
    close: (agent: string) =>
      attempt(api.call("DELETE /api/v1/sessions/{id}/agents/{agent}", { ...place(agent), response: anything })),
    add: (body: z.input<typeof NewAgent>) =>
      api.call("POST /api/v1/sessions/{id}/agents", { path: { id: sessionId }, body, response: anything }),
  }
}
