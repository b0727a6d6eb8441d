import type { EventOf } from "../../events.ts"
import { AUTONOMOUS, COORDINATOR, EVERYBODY, HARNESSED, MAX_UNREAD } from "./schema.ts"
import type { TeamState } from "./state.ts"

/** Sequence numbers of each member's unread events. */
export interface Inboxes {
  [recipient: string]: number[]
}

/** Adds a message to its recipients' inboxes. A message to `all` goes to every member except its author. */
export function deliver(team: TeamState, { from, to, seq }: EventOf<"team_message_sent">): Inboxes {
  const members = to === EVERYBODY ? [COORDINATOR, ...Object.keys(team.workers)] : [to]
  return members
    .filter((member) => member !== from && (member === COORDINATOR || hasInbox(team, member)))
    .reduce((inboxes, member) => deliverTo(inboxes, member, seq), team.inboxes)
}

/** Returns false for programs, which have their own message queues. */
function hasInbox({ workers }: TeamState, member: string): boolean {
  const type = Object.hasOwn(workers, member) ? workers[member]?.type : undefined
  return type === HARNESSED || type === AUTONOMOUS
}

/**
 * Adds an event to an inbox, which keeps only the newest hundred events. A coordinator that missed more events will
 * look at the board anyway.
 */
export function deliverTo(inboxes: Inboxes, member: string, seq: number): Inboxes {
  const unread = Object.hasOwn(inboxes, member) ? (inboxes[member] ?? []) : []
  return { ...inboxes, [member]: [...unread, seq].slice(-MAX_UNREAD) }
}

/** Removes the events that were just reported to a member from its inbox. */
export function take(inboxes: Inboxes, { agent_id, tells = [] }: EventOf<"conversation_extended">): Inboxes {
  if (agent_id === undefined || tells.length === 0 || !Object.hasOwn(inboxes, agent_id)) return inboxes
  return { ...inboxes, [agent_id]: (inboxes[agent_id] ?? []).filter((seq) => !tells.includes(seq)) }
}
