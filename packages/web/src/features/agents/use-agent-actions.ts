import type { AgentChanges, NewAgent } from "@switchyard/core/agents/conversations/agent-schema"
import type * as z from "zod"
import { anything, object, text } from "../../api/decode.ts"
import { useTold } from "../../session/context/studio.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import type { AttachedImage } from "../images/attached-image.ts"

export interface Message {
  text: string
  images: readonly AttachedImage[]
}

export function useAgentActions() {
  const { sessionId, api } = useShownSession()
  const told = useTold()
  const of = (agent: string) => ({ path: { id: sessionId, agent }, response: anything })

  /** Stores an image in the session, and returns the path by which a message refers to it. */
  async function upload({ src, name }: AttachedImage): Promise<string> {
    const body = { file: new File([bytesOf(src)], name) }
    const request = { path: { id: sessionId }, body, response: object({ path: text }) }
    return (await api.call("POST /api/v1/sessions/{id}/uploads", request)).path
  }

  return {
    say: async (agent: string, { text, images }: Message, messageId: string) => {
      const content = text.trim() === "" ? "See the attached image." : text
      const about = images.length > 0 ? { images: await Promise.all(images.map(upload)) } : {}
      const body = { content, source: "ui" as const, message_id: messageId, ...about }
      return api.call("POST /api/v1/sessions/{id}/agents/{agent}/messages", { ...of(agent), body })
    },
    interrupt: (agent: string) =>
      told(api.call("POST /api/v1/sessions/{id}/agents/{agent}/interrupt", { ...of(agent), body: {} })),
    change: (agent: string, body: z.input<typeof AgentChanges>) =>
      api.call("PATCH /api/v1/sessions/{id}/agents/{agent}", { ...of(agent), body }),
    /** Resolves to true if the agent was closed. */
    close: async (agent: string) =>
      (await told(api.call("DELETE /api/v1/sessions/{id}/agents/{agent}", of(agent)))) !== null,
    add: (body: z.input<typeof NewAgent>) =>
      api.call("POST /api/v1/sessions/{id}/agents", { path: { id: sessionId }, body, response: anything }),
  }
}

function bytesOf(dataUri: string) {
  return Uint8Array.from(atob(dataUri.slice(dataUri.indexOf(",") + 1)), (char) => char.charCodeAt(0))
}
