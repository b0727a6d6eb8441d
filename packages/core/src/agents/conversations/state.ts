import type { EventOf } from "../../events.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import type { Part } from "../../kernel/part.ts"
import { isTask } from "../../work/runs/kinds.ts"
import type { AgentKind } from "./agent-schema.ts"
import { AgentProgram, MAIN_AGENT } from "./schema.ts"

/** A message that waits for its agent. Its content is in its event. */
export interface QueuedMessage {
  messageId: string
  seq: number
}

/** An agent of the session, as far as rules decide on it. What it is at follows from its runs. */
export interface AgentState {
  agentId: string
  name: string
  kind: AgentKind
  /** False for an agent that only tasks named: it has no settings but those of the last one. */
  isCreated: boolean
  /** Null before it has one. */
  program: AgentProgram | null
  worktree: string
  /** The branch from which its worktree is made; null for the one that is checked out. */
  baseBranch: string | null
  /** The agent that started it. */
  parent: string | null
  /** The session of its program that was opened last. */
  nativeSession: string | null
  /** The oldest first. */
  queue: QueuedMessage[]
  /** The event with the unsent message to it. */
  draftSeq: number | null
  createdAt: string | null
  closedAt: string | null
}

export interface AgentsState {
  /** In the order in which they came. `main` is missing before anything was said to it or of it. */
  open: { [agentId: string]: AgentState }
  /** The last that were closed. */
  closed: AgentState[]
  /** The last messages that left their queues, for senders that send again what was accepted already. */
  settled: string[]
}

/** The open agents of a session, and the closed ones that it remembers. Of agents that only tasks named, the oldest are forgotten. */
export const MAX_AGENTS = 50
const MAX_SETTLED = 100

export const agentsPart: Part<AgentsState> = {
  version: 2,
  initial: { open: {}, closed: [], settled: [] },
  apply(part, event) {
    switch (event.type) {
      case "agent_created":
        return withAgent(part, createdAgent(event))
      case "run_created":
        return afterRunCreated(part, event)
      case "agent_session_opened":
        return changed(part, event.agent_id, { nativeSession: event.native_session_id })
      case "agent_renamed":
        return changed(part, event.agent_id, { name: event.name })
      case "agent_program_changed":
        return changed(part, event.agent_id, { program: programOf(event) })
      case "agent_draft_changed":
        return changed(part, event.agent_id, { draftSeq: event.draft === "" ? null : event.seq })
      case "agent_message_queued": {
        const queue = openAgent({ agents: part }, event.agent_id)?.queue ?? []
        return changed(part, event.agent_id, { queue: [...queue, { messageId: event.message_id, seq: event.seq }] })
      }
      case "agent_message_delivered":
        return delivered(part, event)
      case "agent_closed":
        return closed(part, event)
      default:
        return part
    }
  },
}

/** The open agent of this id; an id may be any text that somebody sent. */
export function openAgent({ agents }: { agents: AgentsState }, agentId: string): AgentState | undefined {
  if (Object.hasOwn(agents.open, agentId)) return agents.open[agentId]
  return agentId === MAIN_AGENT ? unknownAgent(MAIN_AGENT) : undefined
}

/** All open agents, `main` first. */
export function openAgents(state: { agents: AgentsState }): AgentState[] {
  const main = openAgent(state, MAIN_AGENT) ?? unknownAgent(MAIN_AGENT)
  return [main, ...Object.values(state.agents.open).filter(({ agentId }) => agentId !== MAIN_AGENT)]
}

/** The agent that is meant by an id or a name: an open one, or a closed one by its id. */
export function namedAgent(state: { agents: AgentsState }, idOrName: string): AgentState | undefined {
  return (
    openAgent(state, idOrName) ??
    openAgents(state).find(({ name }) => isSameName(name, idOrName)) ??
    state.agents.closed.find(({ agentId }) => agentId === idOrName)
  )
}

/** True for an agent that was created and closed: its id is never used again. One that tasks name comes back with the next. */
export function wasClosed({ agents }: { agents: AgentsState }, agentId: string): boolean {
  return agents.closed.some((agent) => agent.agentId === agentId && agent.isCreated)
}

/** Names that differ only in case are one: each may be that of a folder and a branch. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function createdAgent(event: EventOf<"agent_created">): AgentState {
  return {
    ...unknownAgent(event.agent_id),
    name: event.name,
    kind: event.kind,
    isCreated: true,
    program: programOf(event),
    worktree: event.worktree,
    baseBranch: event.base_branch ?? null,
    parent: event.parent ?? null,
    createdAt: event.ts,
  }
}

/** A task may have its agent work as another program; of an agent that isn't created it says in which worktree, too. */
function afterRunCreated(part: AgentsState, event: EventOf<"run_created">): AgentsState {
  if (!isTask(event) || wasClosed({ agents: part }, event.agent_id)) return part
  const before = openAgent({ agents: part }, event.agent_id) ?? unknownAgent(event.agent_id)
  const program = programOfRun(event) ?? before.program
  const worktree = before.isCreated ? before.worktree : (event.worktree ?? MAIN_WORKTREE)
  return withAgent(part, { ...before, program, worktree })
}

/** Of runs from before the event named the program it is in their input, where that wasn't too large for the log. */
function programOfRun({ program, input }: EventOf<"run_created">): AgentProgram | null {
  return program ?? AgentProgram.safeParse(input).data ?? null
}

function delivered(part: AgentsState, { agent_id, message_ids }: EventOf<"agent_message_delivered">): AgentsState {
  const queue = openAgent({ agents: part }, agent_id)?.queue ?? []
  const left = queue.filter(({ messageId }) => !message_ids.includes(messageId))
  return changed(withSettled(part, message_ids), agent_id, { queue: left })
}

function closed(part: AgentsState, { agent_id, ts }: EventOf<"agent_closed">): AgentsState {
  const agent = openAgent({ agents: part }, agent_id)
  if (!agent) return part
  const { [agent_id]: _, ...open } = part.open
  const dropped = agent.queue.map(({ messageId }) => messageId)
  const left = { ...agent, queue: [], closedAt: ts }
  return { ...withSettled(part, dropped), open, closed: [...part.closed, left].slice(-MAX_AGENTS) }
}

function withSettled(part: AgentsState, messageIds: string[]): AgentsState {
  return { ...part, settled: [...part.settled, ...messageIds].slice(-MAX_SETTLED) }
}

function changed(part: AgentsState, agentId: string = MAIN_AGENT, change: Partial<AgentState>): AgentsState {
  const before = openAgent({ agents: part }, agentId)
  // A run of an agent that was closed may still say something.
  if (!before) return part
  return withAgent(part, { ...before, ...change })
}

function withAgent(part: AgentsState, agent: AgentState): AgentsState {
  const open = { ...part.open, [agent.agentId]: agent }
  const isNew = !Object.hasOwn(part.open, agent.agentId)
  if (!isNew || Object.keys(open).length <= MAX_AGENTS) return { ...part, open }
  const oldest = Object.values(part.open).find(isForgettable)
  if (!oldest) return { ...part, open }
  const { [oldest.agentId]: _, ...rest } = open
  return { ...part, open: rest }
}

function isForgettable({ agentId, isCreated, queue }: AgentState): boolean {
  return !isCreated && queue.length === 0 && agentId !== MAIN_AGENT
}

/** An agent of which nothing is known but its id, by which tasks name it. */
function unknownAgent(agentId: string): AgentState {
  return {
    agentId,
    name: agentId,
    kind: "cli",
    isCreated: false,
    program: null,
    worktree: MAIN_WORKTREE,
    baseBranch: null,
    parent: null,
    nativeSession: null,
    queue: [],
    draftSeq: null,
    createdAt: null,
    closedAt: null,
  }
}

function programOf({ cli, account, model, reasoning }: AgentProgram): AgentProgram {
  return { cli, account, model, reasoning }
}
