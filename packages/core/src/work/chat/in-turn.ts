import type { Turn } from "./turn/turn.ts"

/** Returns the fields that identify a turn in its events. */
export function inTurn({ context, journal }: Turn) {
  const { agent_id, request_id, chat_id } = journal.asked
  return { run_id: context.runId, agent_id, request_id, chat_id }
}
