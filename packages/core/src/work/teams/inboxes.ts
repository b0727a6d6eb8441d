import type { EventOf } from "../../events.ts"
import { AUTONOMOUS, COORDINATOR, EVERYBODY, HARNESSED, MAX_UNREAD } from "./schema.ts"
import type { TeamState } from "./state.ts"

/** Of each member, the events that it hasn't been told of, by their seq. */
export interface Inboxes {
  [recipient: string]: number[]
}

/** The inboxes with one more message: of everybody but its author, where it is for all. */
export function deliver(team: TeamState, { from, to, seq }: EventOf<"team_message_sent">): Inboxes {
  const members = to === EVERYBODY ? [COORDINATOR, ...Object.keys(team.workers)] : [to]
  return members
    .filter((member) => member !== from && (member === COORDINATOR || hasInbox(team, member)))
    .reduce((inboxes, member) => deliverTo(inboxes, member, seq), team.inboxes)
}

/** Programs have queues of their own. */
function hasInbox({ workers }: TeamState, member: string): boolean {
  const type = Object.hasOwn(workers, member) ? workers[member]?.type : undefined
  return type === HARNESSED || type === AUTONOMOUS
}

/** The newest hundred are remembered: a coordinator that was told of none of them looks at its board anyway. */
export function deliverTo(inboxes: Inboxes, member: string, seq: number): Inboxes {
  const unread = Object.hasOwn(inboxes, member) ? (inboxes[member] ?? []) : []
  return { ...inboxes, [member]: [...unread, seq].slice(-MAX_UNREAD) }
}

/** The inboxes without what an addition to its conversation tells a member. */
export function take(inboxes: Inboxes, { agent_id, tells = [] }: EventOf<"conversation_extended">): Inboxes {
  if (agent_id === undefined || tells.length === 0 || !Object.hasOwn(inboxes, agent_id)) return inboxes
  return { ...inboxes, [agent_id]: (inboxes[agent_id] ?? []).filter((seq) => !tells.includes(seq)) }
}
