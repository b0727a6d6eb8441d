import type { EventOf } from "../../events.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import type { Part } from "../../kernel/part.ts"
import { isTask } from "../../work/runs/kinds.ts"
import type { AgentKind } from "./agent-schema.ts"
import { asksAfter, type OpenAsks } from "./ask-state.ts"
import { AgentProgram, MAIN_AGENT } from "./schema.ts"

/** Message waiting for its agent. Its content is in the event with this `seq`. */
export interface QueuedMessage {
  messageId: string
  seq: number
  /** True if this message doesn't start a turn on its own. */
  isQuiet: boolean
}

/** An agent in the session, with the fields that rules need. Its status is derived from its runs. */
export interface AgentState {
  agentId: string
  name: string
  kind: AgentKind
  /** False for an agent that is known only from its tasks. Such an agent only has the settings of its last task. */
  isCreated: boolean
  /** Null until the agent has a program. */
  program: AgentProgram | null
  worktree: string
  /** Branch that the agent's worktree is based on. Null for the checked-out branch. */
  baseBranch: string | null
  /** The agent's start folder in its worktree. Empty for the worktree itself. */
  cwd: string
  /** Session of the agent's program that was started outside this server. The agent's first turn continues it. */
  resumeSession: string | null
  /**
   * True if the agent hasn't had its first turn yet, and its owner has allowed the project files that can start
   * programs.
   */
  hasConsent: boolean
  parent: string | null
  /** Number of agents in the chain that started this agent. 0 if a person started it. */
  depth: number
  /** Times of the agent's latest messages to other agents. */
  sentAt: string[]
  /** Last session that the agent's program opened. */
  nativeSession: string | null
  /** Waiting messages, oldest first. */
  queue: QueuedMessage[]
  /** Sequence number of the event with the agent's unsent message. */
  draftSeq: number | null
  /** Sequence number of the event with the agent's to-do list. */
  todosSeq: number | null
  createdAt: string | null
  closedAt: string | null
}

export interface AgentsState {
  /** Open agents by ID, in the order they were added. `main` is missing until the first event about it. */
  open: { [agentId: string]: AgentState }
  /** Recently closed agents. */
  closed: AgentState[]
  /** IDs of messages that recently left their queues. They are kept to detect messages that are sent again. */
  settled: string[]
  /** Open questions between agents, by the ID of the message that asked the question. */
  asks: OpenAsks
}

/**
 * Maximum number of open agents, and of closed agents that are remembered. If it is exceeded, the oldest agent that is
 * known only from its tasks is forgotten.
 */
export const MAX_AGENTS = 50
const MAX_SETTLED = 100
/** Maximum number of messages that an agent may send to other agents per minute. */
export const MAX_SENT = 30

export const agentsPart: Part<AgentsState> = {
  version: 7,
  initial: { open: {}, closed: [], settled: [], asks: {} },
  apply(before, event) {
    const asks = asksAfter(before.asks, event)
    const part = asks === before.asks ? before : { ...before, asks }
    switch (event.type) {
      case "agent_created":
        return withAgent(withSent(part, event.parent, event.ts), createdAgent(event, part))
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
      case "agent_todos_changed":
        return changed(part, event.agent_id, { todosSeq: event.todos.length > 0 ? event.seq : null })
      case "agent_message_queued": {
        const queue = openAgent({ agents: part }, event.agent_id)?.queue ?? []
        const message = { messageId: event.message_id, seq: event.seq, isQuiet: event.quiet === true }
        return changed(withSent(part, event.from, event.ts), event.agent_id, { queue: [...queue, message] })
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

/** Returns the open agent with this ID. The ID may be any text from a client. */
export function openAgent({ agents }: { agents: AgentsState }, agentId: string): AgentState | undefined {
  if (Object.hasOwn(agents.open, agentId)) return agents.open[agentId]
  return agentId === MAIN_AGENT ? unknownAgent(MAIN_AGENT) : undefined
}

/** Returns all open agents, `main` first. */
export function openAgents(state: { agents: AgentsState }): AgentState[] {
  const main = openAgent(state, MAIN_AGENT) ?? unknownAgent(MAIN_AGENT)
  return [main, ...Object.values(state.agents.open).filter(({ agentId }) => agentId !== MAIN_AGENT)]
}

/** Returns an open agent by ID or name, or a closed one by ID. */
export function namedAgent(state: { agents: AgentsState }, idOrName: string): AgentState | undefined {
  return (
    openAgent(state, idOrName) ??
    openAgents(state).find(({ name }) => isSameName(name, idOrName)) ??
    state.agents.closed.find(({ agentId }) => agentId === idOrName)
  )
}

/**
 * True for an agent that was created and then closed. The ID of such an agent is never reused. By contrast, an agent
 * known only from its tasks reappears with its next task.
 */
export function wasClosed({ agents }: { agents: AgentsState }, agentId: string): boolean {
  return agents.closed.some((agent) => agent.agentId === agentId && agent.isCreated)
}

/** Compares names without regard to case, because each name may become the name of a folder and of a branch. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** True if a queued message starts a turn for the agent. */
export function hasWork({ queue }: Pick<AgentState, "queue">): boolean {
  return queue.some(({ isQuiet }) => !isQuiet)
}

function withSent(part: AgentsState, sender: string | undefined, at: string): AgentsState {
  const agent = sender === undefined ? undefined : openAgent({ agents: part }, sender)
  return agent ? changed(part, sender, { sentAt: [...agent.sentAt, at].slice(-MAX_SENT) }) : part
}

function createdAgent(event: EventOf<"agent_created">, before: AgentsState): AgentState {
  const parent = event.parent === undefined ? undefined : openAgent({ agents: before }, event.parent)
  return {
    ...unknownAgent(event.agent_id),
    name: event.name,
    kind: event.kind,
    isCreated: true,
    program: programOf(event),
    worktree: event.worktree,
    baseBranch: event.base_branch ?? null,
    cwd: event.cwd ?? "",
    resumeSession: event.resume_session ?? null,
    hasConsent: event.consent ?? false,
    parent: event.parent ?? null,
    depth: parent ? parent.depth + 1 : 0,
    createdAt: event.ts,
  }
}

/**
 * Updates an agent for a new run. A task may change the agent's program. If the agent is known only from its tasks, a
 * task may also change its worktree.
 */
function afterRunCreated(part: AgentsState, event: EventOf<"run_created">): AgentsState {
  if (!isTask(event) || wasClosed({ agents: part }, event.agent_id)) return part
  const before = openAgent({ agents: part }, event.agent_id) ?? unknownAgent(event.agent_id)
  const program = programOfRun(event) ?? before.program
  const worktree = before.isCreated ? before.worktree : (event.worktree ?? MAIN_WORKTREE)
  return withAgent(part, { ...before, program, worktree, hasConsent: false })
}

/**
 * Returns a run's program. Older events have the program only in their input. They don't have it at all if the input
 * was too large for the log.
 */
function programOfRun({ program, input }: EventOf<"run_created">): AgentProgram | null {
  return program ?? AgentProgram.safeParse(input).data ?? null
}

function delivered(part: AgentsState, { agent_id, message_ids }: EventOf<"agent_message_delivered">): AgentsState {
  const queue = openAgent({ agents: part }, agent_id)?.queue ?? []
  const left = queue.filter(({ messageId }) => !message_ids.includes(messageId))
  return changed(withSettled(part, message_ids), agent_id, { queue: left, hasConsent: false })
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
  // Ignore events about a closed agent. Its last run may still append some.
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

/** Returns the state of an agent that is only known because a task named it. Nothing except its ID is known. */
function unknownAgent(agentId: string): AgentState {
  return {
    agentId,
    name: agentId,
    kind: "cli",
    isCreated: false,
    program: null,
    worktree: MAIN_WORKTREE,
    baseBranch: null,
    cwd: "",
    resumeSession: null,
    hasConsent: false,
    parent: null,
    depth: 0,
    sentAt: [],
    nativeSession: null,
    queue: [],
    draftSeq: null,
    todosSeq: null,
    createdAt: null,
    closedAt: null,
  }
}

function programOf({ cli, account, model, reasoning }: AgentProgram): AgentProgram {
  return { cli, account, model, reasoning }
}
