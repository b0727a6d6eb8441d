import { agentTitle } from "@switchyard/core/agents/clis/titles"
import type { StudioEvent } from "../../../session/stream/event.ts"
import { countUpTo } from "../../../session/stream/keyframes.ts"
import { MAIN } from "../../../session/stream/run.ts"
import { segmentAt } from "../../../session/stream/segments.ts"
import type { SessionData } from "../../../session/stream/session-data.ts"
import type { SessionView } from "../../../session/stream/view.ts"
import { isSummary } from "./log-rows.ts"

export type LogItem = StudioEvent | { type: "divider"; text: string; seq: number }

export interface LogInput extends Pick<SessionData, "structural" | "segments" | "carried" | "leftAt"> {
  /** The moment shown. */
  seq: number
  /** Whether to list every event instead of only summaries. */
  details: boolean
  /** Whether to list only the part of the log around the moment. Needed for all events, and for what agents say. */
  isPaged: boolean
}

/** Returns the log's items at a moment: first those carried over from an earlier session, then the session's own. */
export function logItems({ structural, segments, carried, leftAt, seq, details, isPaged }: LogInput): LogItem[] {
  const visible = (events: readonly StudioEvent[]) => (details ? events : events.filter(isSummary))
  const before: LogItem[] = carried ? [...visible(carried.events), { type: "divider", text: carried.note, seq: 0 }] : []
  const known = (isPaged ? segmentAt(segments, seq)?.events : undefined) ?? structural
  const items: LogItem[] = [...visible(known.slice(0, countUpTo(known, seq)))]
  const at = leftAt === null ? -1 : items.findIndex((item) => item.seq > leftAt)
  if (leftAt !== null && at > 0) items.splice(at, 0, { type: "divider", text: "while you were away", seq: leftAt })
  return [...before, ...items]
}

/** Returns true if rows were inserted above those in `before`, so that those must keep their place. */
export function hasGrownAbove(before: readonly LogItem[], after: readonly LogItem[]): boolean {
  const [old] = before
  const [first] = after
  return first !== undefined && old !== undefined && first.seq < old.seq && after.length > before.length
}

/** Returns true if command-line agents have worked in the session. */
export function hasAgents({ agents }: Pick<SessionView, "agents">): boolean {
  return Object.values(agents).some(({ run, agent }) => (agent.name ?? agent.cli ?? run?.agent) != null)
}

/**
 * Returns the name of an event's agent; undefined in a session with one agent, and for events that aren't an agent's.
 */
export function agentNameOf(event: StudioEvent, agents: SessionView["agents"]): string | undefined {
  const { agent_id: id = MAIN } = event
  const state = Object.keys(agents).length > 1 ? agents[id] : undefined
  return state && agentTitle(state.agent.name ?? id, state.agent.cli)
}
