import type { EventOf, NewEvent } from "../../events.ts"
import type { SessionState } from "../../state.ts"
import type { OpenAsk } from "./ask-state.ts"
import { openAgent } from "./state.ts"

export type EndReason = EventOf<"agent_ask_ended">["reason"]

/** Returns the question asked by this message, or undefined if it has been answered. */
export function askOf({ agents }: Pick<SessionState, "agents">, messageId: string): OpenAsk | undefined {
  return Object.hasOwn(agents.asks, messageId) ? agents.asks[messageId] : undefined
}

/** Returns the events that close all open questions to an agent that is being closed. */
export function endsOfClosed(state: SessionState, agentId: string): NewEvent[] {
  const owed = Object.values(state.agents.asks).filter(({ to }) => to === agentId)
  return owed.flatMap((ask) => {
    const text = "It was closed before it answered."
    return endEvents(state, ask, { reason: "closed", text, reply: `${ask.messageId}-end` })
  })
}

/**
 * Closes a question. The asking agent receives a message with the ID `reply`, unless its tool call is still waiting for
 * the answer.
 */
export function endEvents(
  state: SessionState,
  ask: OpenAsk,
  { reason, text, reply }: { reason: EndReason; text: string; reply: string },
): NewEvent[] {
  const ended = endEvent(ask.to, ask.messageId, reason, text)
  if (ask.waitingRun !== null || !openAgent(state, ask.from)) return [ended]
  const name = openAgent(state, ask.to)?.name ?? ask.to
  const content = reason === "answered" ? `The answer to what you asked:\n\n${text}` : text
  const about = { agent_id: ask.from, message_id: reply, content, source: `agent:${name}` }
  return [ended, { type: "agent_message_queued", ...about }]
}

export function endEvent(agentId: string, message_id: string, reason: EndReason, text: string): NewEvent {
  return { type: "agent_ask_ended", agent_id: agentId, message_id, reason, answer: text }
}

export function releaseEvent(agentId: string, message_id: string): NewEvent {
  return { type: "agent_ask_released", agent_id: agentId, message_id }
}
