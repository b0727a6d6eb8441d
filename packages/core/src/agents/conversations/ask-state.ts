import type { EventOf, LogEvent } from "../../events.ts"
import { endsRun } from "../../work/runs/schema.ts"

/** Open question from one agent to another. */
export interface OpenAsk {
  /** Message with the question. */
  messageId: string
  from: string
  to: string
  /** Run of the asking agent that waits for the answer. Null if the answer will be delivered as a message. */
  waitingRun: string | null
  /** Latest run that received the question, or a reminder of the question. */
  takenBy: string | null
  /** Time when the run in `takenBy` ended without an answer, or null. */
  unansweredAt: string | null
  reminders: number
  /** Message ID of the last reminder. */
  reminder: string | null
}

/** Open questions between agents, by the ID of the message that asked the question. */
export interface OpenAsks {
  [messageId: string]: OpenAsk
}

/** Returns the open questions after an event. The event may deliver a question to a run, or close a question. */
export function asksAfter(asks: OpenAsks, event: LogEvent): OpenAsks {
  if (event.type === "agent_message_queued") return withAsk(asks, event)
  if (Object.keys(asks).length === 0) return asks
  switch (event.type) {
    case "agent_message_delivered": {
      const took = (ask: OpenAsk) => event.message_ids.some((id) => id === ask.messageId || id === ask.reminder)
      return changed(asks, took, { takenBy: event.run_id, unansweredAt: null })
    }
    case "agent_ask_released":
      return changed(asks, ({ messageId }) => messageId === event.message_id, { waitingRun: null })
    case "agent_ask_ended":
      return without(asks, ({ messageId }) => messageId === event.message_id)
    case "agent_closed":
      return without(asks, ({ from, to }) => from === event.agent_id || to === event.agent_id)
    default: {
      const isEnd = endsRun(event)
      if (!isEnd && event.type !== "run_claimed") return asks
      // If a run's executor is gone, the run is no longer waiting for an answer.
      const released = changed(asks, (ask) => ask.waitingRun === event.run_id, { waitingRun: null })
      return isEnd ? changed(released, (ask) => ask.takenBy === event.run_id, { unansweredAt: event.ts }) : released
    }
  }
}

function withAsk(asks: OpenAsks, event: EventOf<"agent_message_queued">): OpenAsks {
  const { message_id: messageId, agent_id: to, from, asking_run: waitingRun, reminds_of: reminded } = event
  if (reminded !== undefined) {
    const reminders = (asks[reminded]?.reminders ?? 0) + 1
    const about = { reminders, reminder: messageId, takenBy: null, unansweredAt: null }
    return changed(asks, (ask) => ask.messageId === reminded, about)
  }
  if (from === undefined || waitingRun === undefined) return asks
  const state = { waitingRun, takenBy: null, unansweredAt: null, reminders: 0, reminder: null }
  return { ...asks, [messageId]: { messageId, from, to, ...state } }
}

function changed(asks: OpenAsks, which: (ask: OpenAsk) => boolean, change: Partial<OpenAsk>): OpenAsks {
  const found = Object.values(asks).filter(which)
  if (found.length === 0) return asks
  return { ...asks, ...Object.fromEntries(found.map((ask) => [ask.messageId, { ...ask, ...change }])) }
}

function without(asks: OpenAsks, which: (ask: OpenAsk) => boolean): OpenAsks {
  return Object.fromEntries(Object.entries(asks).filter(([, ask]) => !which(ask)))
}
