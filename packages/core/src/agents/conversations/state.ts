import type { EventOf, LogEvent } from "../../events.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import type { Part } from "../../kernel/part.ts"
import { isTask } from "../../work/runs/kinds.ts"
import { endsRun } from "../../work/runs/schema.ts"
import type { AgentKind } from "./agent-schema.ts"
import { AgentProgram, MAIN_AGENT } from "./schema.ts"

/** A message that waits for its agent. Its content is in its event. */
export interface QueuedMessage {
  messageId: string
  seq: number
  /** Whether it begins no turn by itself. */
  isQuiet: boolean
}

/** A question of one agent to another, to which an answer is owed. */
export interface OpenAsk {
  /** The message that asked. */
  messageId: string
  from: string
  to: string
  /** The run of the agent that asked, while that waits for the answer; null once the answer comes as a message. */
  waitingRun: string | null
  /** The run to which the question, or a reminder of it, was delivered last. */
  takenBy: string | null
  /** When that run completed without an answer; null before. */
  unansweredAt: string | null
  reminders: number
  /** The last of those. */
  reminder: string | null
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
  /** The folder of its worktree in which it starts; empty for the worktree itself. */
  cwd: string
  /** The session of its program, begun outside, with which its first turn goes on. */
  resumeSession: string | null
  /** Whether its next turn is its first, and has consent to files that start programs. */
  hasConsent: boolean
  /** The agent that started it. */
  parent: string | null
  /** The number of agents above it. */
  depth: number
  /** The times of its last messages to other agents. */
  sentAt: string[]
  /** The session of its program that was opened last. */
  nativeSession: string | null
  /** The oldest first. */
  queue: QueuedMessage[]
  /** The event with the unsent message to it. */
  draftSeq: number | null
  /** The event with its list of what it means to do. */
  todosSeq: number | null
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
  /** The questions of agents to one another that are to be answered, by the message that asks. */
  asks: { [messageId: string]: OpenAsk }
}

/** The open agents of a session, and the closed ones that it remembers. Of agents that only tasks named, the oldest are forgotten. */
export const MAX_AGENTS = 50
const MAX_SETTLED = 100
/** The messages that an agent may send to others within a minute. */
export const MAX_SENT = 30

export const agentsPart: Part<AgentsState> = {
  version: 7,
  initial: { open: {}, closed: [], settled: [], asks: {} },
  apply(before, event) {
    const part = asksAfter(before, event)
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

/** Whether anything waits for the agent that begins a turn. */
export function hasWork({ queue }: Pick<AgentState, "queue">): boolean {
  return queue.some(({ isQuiet }) => !isQuiet)
}

/** The questions after an event, of which a run may be one that took a question, or that waits for an answer. */
function asksAfter(part: AgentsState, event: LogEvent): AgentsState {
  if (event.type === "agent_message_queued") return withAsk(part, event)
  if (Object.keys(part.asks).length === 0) return part
  switch (event.type) {
    case "agent_message_delivered": {
      const took = (ask: OpenAsk) => event.message_ids.some((id) => id === ask.messageId || id === ask.reminder)
      return changedAsks(part, took, { takenBy: event.run_id, unansweredAt: null })
    }
    case "agent_ask_released":
      return changedAsks(part, ({ messageId }) => messageId === event.message_id, { waitingRun: null })
    case "agent_ask_ended":
      return withoutAsks(part, ({ messageId }) => messageId === event.message_id)
    case "agent_closed":
      return withoutAsks(part, ({ from, to }) => from === event.agent_id || to === event.agent_id)
    default: {
      const isEnd = endsRun(event)
      if (!isEnd && event.type !== "run_claimed") return part
      // Whoever waited is gone with its executor.
      const released = changedAsks(part, (ask) => ask.waitingRun === event.run_id, { waitingRun: null })
      return isEnd ? changedAsks(released, (ask) => ask.takenBy === event.run_id, { unansweredAt: event.ts }) : released
    }
  }
}

function withAsk(part: AgentsState, event: EventOf<"agent_message_queued">): AgentsState {
  const { message_id: messageId, agent_id: to, from, asking_run: waitingRun, reminds_of: reminded } = event
  if (reminded !== undefined) {
    const reminders = (part.asks[reminded]?.reminders ?? 0) + 1
    const about = { reminders, reminder: messageId, takenBy: null, unansweredAt: null }
    return changedAsks(part, (ask) => ask.messageId === reminded, about)
  }
  if (from === undefined || waitingRun === undefined) return part
  const state = { waitingRun, takenBy: null, unansweredAt: null, reminders: 0, reminder: null }
  return { ...part, asks: { ...part.asks, [messageId]: { messageId, from, to, ...state } } }
}

function changedAsks(part: AgentsState, which: (ask: OpenAsk) => boolean, change: Partial<OpenAsk>): AgentsState {
  const changed = Object.values(part.asks).filter(which)
  if (changed.length === 0) return part
  const next = changed.map((ask) => [ask.messageId, { ...ask, ...change }])
  return { ...part, asks: { ...part.asks, ...Object.fromEntries(next) } }
}

function withoutAsks(part: AgentsState, which: (ask: OpenAsk) => boolean): AgentsState {
  return { ...part, asks: Object.fromEntries(Object.entries(part.asks).filter(([, ask]) => !which(ask))) }
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

/** A task may have its agent work as another program; of an agent that isn't created it says in which worktree, too. */
function afterRunCreated(part: AgentsState, event: EventOf<"run_created">): AgentsState {
  if (!isTask(event) || wasClosed({ agents: part }, event.agent_id)) return part
  const before = openAgent({ agents: part }, event.agent_id) ?? unknownAgent(event.agent_id)
  const program = programOfRun(event) ?? before.program
  const worktree = before.isCreated ? before.worktree : (event.worktree ?? MAIN_WORKTREE)
  return withAgent(part, { ...before, program, worktree, hasConsent: false })
}

/** Of runs from before the event named the program it is in their input, where that wasn't too large for the log. */
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
