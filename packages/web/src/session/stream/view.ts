import { agentTitle } from "@switchyard/core/agents/clis/titles"
import { type AgentView, noAgent, reduceAgent, type TerminalView } from "./agent.ts"
import { CHAT, type ChatView, isOfChat, reduceChat } from "./chat.ts"
import { CHECKER } from "./check.ts"
import { type Beginning, type Conversation, reduceBeginning, reduceConversation } from "./conversation.ts"
import { inlined, type StudioEvent } from "./event.ts"
import { type FilesView, noFiles, RESTORE, reduceFiles } from "./files.ts"
import { type GraphView, idleGraph, reduceGraph } from "./graph.ts"
import { MAIN, type RunView, reduceRun } from "./run.ts"
import { noServer, reduceServer, type ServerView } from "./server-preview.ts"
import { reduceTrain, TRAINS, type TrainView } from "./train.ts"
import { noWork, reduceWork, type WorkView } from "./work.ts"

/** An agent in a session, and its latest run. */
export interface AgentState {
  run: RunView | null
  agent: AgentView
}

/** A session at one moment of its log. Live, resumed and replayed screens are all drawn from it. */
export interface SessionView extends AgentState {
  /** Last folded event. */
  seq: number
  deleted: boolean
  graph: GraphView
  files: FilesView
  beginning: Beginning
  conversation: Conversation
  /** The chat about the files; null before the first message. */
  chat: ChatView | null
  /** By ID. Events without an agent belong to `main`. */
  agents: Readonly<Record<string, AgentState>>
  /** Pairs of worktrees whose work would conflict if it were merged now. */
  collisions: readonly CollisionView[]
  /** By name. */
  worktrees: Readonly<Record<string, WorkView>>
  /** The session's latest run, with the state of its agent and the terminals of all agents. */
  run: RunView | null
  /** Kinds of runs of its workflow and agents, each once, latest last. */
  runKinds: readonly string[]
  /** True if programs may be members of its team. */
  hasTeamPrograms: boolean
  /** Worktree of that run. */
  work: WorkView
  server: ServerView
  /** Last event that stored a build's output; 0 if there is none. */
  builtSeq: number
  /** Latest merge train; null before the first. */
  train: TrainView | null
  /** Last event about bake-offs; 0 before the first. */
  bakeOffSeq: number
  /** Last event that set a budget; 0 before the first. */
  budgetSeq: number
}

/** Files to which two worktrees have made conflicting changes. */
export interface CollisionView {
  worktrees: readonly string[]
  /** Only the first few. */
  files: readonly string[]
  fileCount: number
}

const noState: AgentState = { run: null, agent: noAgent }

export const emptyView: SessionView = {
  seq: 0,
  deleted: false,
  ...noState,
  graph: idleGraph,
  files: noFiles,
  beginning: { copiedFrom: null, restores: [] },
  conversation: [],
  chat: null,
  agents: { [MAIN]: noState },
  collisions: [],
  runKinds: [],
  hasTeamPrograms: false,
  worktrees: {},
  work: noWork,
  server: noServer,
  builtSeq: 0,
  train: null,
  bakeOffSeq: 0,
  budgetSeq: 0,
}

/** Returns the view after one more event. Events are identified by `seq`, so folding one twice changes nothing. */
export function reduceView(view: SessionView, event: StudioEvent): SessionView {
  if (event.seq <= view.seq) return view
  if (event.type === "session_opened")
    return { ...emptyView, seq: event.seq, beginning: reduceBeginning(emptyView.beginning, event) }
  const builtSeq = event.type === "build_output_stored" ? event.seq : view.builtSeq
  // A check runs alongside agents' runs, and reports its findings in its own events.
  if (event.agent_id === CHECKER) {
    return { ...view, seq: event.seq, builtSeq, conversation: reduceConversation(view.conversation, event) }
  }
  // The same applies to a merge train.
  const train = reduceTrain(view.train, event)
  if (event.agent_id === TRAINS) return { ...view, seq: event.seq, train }
  // The same applies to the chat, except for the files that it changes.
  if (isOfChat(event)) {
    const files = reduceFiles(view.files, event)
    return { ...view, seq: event.seq, files, chat: reduceChat(view.chat, event) }
  }
  const agents = reduceAgents(view.agents, event)
  const worktrees = reduceWorktrees(view.worktrees, agents, event)
  const agentId = event.type === "run_created" ? event.agent_id : view.run?.agentId
  const shown = stateOf(agents, agentId)
  return {
    seq: event.seq,
    deleted: view.deleted || event.type === "session_deleted",
    graph: reduceGraph(view.graph, event),
    files: reduceFiles(view.files, event),
    beginning: view.conversation.length === 0 ? reduceBeginning(view.beginning, event) : view.beginning,
    conversation: reduceConversation(view.conversation, event),
    chat: view.chat,
    agents,
    collisions: reduceCollisions(view.collisions, event),
    runKinds: reduceRunKinds(view.runKinds, event),
    hasTeamPrograms: view.hasTeamPrograms || startsPrograms(event),
    worktrees,
    ...shown,
    agent: { ...shown.agent, terminals: allTerminals(view, agents) },
    work: workOf(worktrees, shown.run?.worktree),
    server: reduceServer(view.server, event),
    builtSeq,
    train,
    bakeOffSeq: event.type.startsWith("bake_off_") ? event.seq : view.bakeOffSeq,
    budgetSeq: event.type === "budget_set" ? event.seq : view.budgetSeq,
  }
}

function stateOf(agents: SessionView["agents"], agentId = MAIN): AgentState {
  return Object.hasOwn(agents, agentId) ? (agents[agentId] ?? noState) : noState
}

function reduceRunKinds(kinds: readonly string[], event: StudioEvent): readonly string[] {
  if (event.type !== "run_created" || kinds.at(-1) === event.kind) return kinds
  return [...kinds.filter((kind) => kind !== event.kind), event.kind]
}

function startsPrograms(event: StudioEvent): boolean {
  const request = event.type === "run_created" ? inlined(event.input) : undefined
  return request !== undefined && "goal" in request && (request.agents ?? request.coordinator) !== undefined
}

/** Returns who wrote a file's current version, as shown to people; null for a person. */
export function writerOf({ files, agents }: Pick<SessionView, "files" | "agents">, path: string): string | null {
  const id = files.writers.get(path)
  if (id === undefined) return null
  if (id === RESTORE) return id
  if (id === CHAT) return "the chat"
  const { agent } = stateOf(agents, id)
  return agent.cli === null ? "the coder" : agentTitle(agent.name ?? id, agent.cli)
}

/** Returns the state of the worktree with this name. */
export function workOf(worktrees: SessionView["worktrees"], name = MAIN): WorkView {
  return Object.hasOwn(worktrees, name) ? (worktrees[name] ?? noWork) : noWork
}

/**
 * Returns the agents after an event. It affects the agent that it names, or all of them, because a runner's end
 * concerns every agent.
 */
function reduceAgents(agents: SessionView["agents"], event: StudioEvent): SessionView["agents"] {
  const ids = event.agent_id === undefined ? Object.keys(agents) : [event.agent_id]
  const changed: Record<string, AgentState> = {}
  for (const id of ids) {
    const before = stateOf(agents, id)
    const run = reduceRun(before.run, event)
    const agent = reduceAgent(before.agent, event)
    if (run !== before.run || agent !== before.agent) changed[id] = { run, agent }
  }
  return Object.keys(changed).length > 0 ? { ...agents, ...changed } : agents
}

function reduceWorktrees(
  worktrees: SessionView["worktrees"],
  agents: SessionView["agents"],
  event: StudioEvent,
): SessionView["worktrees"] {
  const named = "worktree" in event ? event.worktree : undefined
  // A run's events don't name the worktree that its agent works in.
  const ofRun = event.run_id === undefined ? undefined : stateOf(agents, event.agent_id).run?.worktree
  const name = named ?? ofRun ?? MAIN
  const before = workOf(worktrees, name)
  const after = reduceWork(before, event)
  return after === before ? worktrees : { ...worktrees, [name]: after }
}

/**
 * All of the session's terminals can be viewed, whichever agent works in them. Their IDs are in chronological order.
 */
function allTerminals(before: SessionView, agents: SessionView["agents"]): TerminalView[] {
  const isSame = ([id, { agent }]: [string, AgentState]) => before.agents[id]?.agent.terminals === agent.terminals
  if (before.seq > 0 && Object.entries(agents).every(isSame)) return before.agent.terminals
  const terminals = Object.values(agents).flatMap(({ agent }) => agent.terminals)
  return terminals.sort((a, b) => (a.pty < b.pty ? -1 : 1))
}

function reduceCollisions(collisions: SessionView["collisions"], event: StudioEvent): SessionView["collisions"] {
  if (event.type !== "worktree_collisions_changed") return collisions
  const { worktrees, files, file_count: fileCount } = event
  const others = collisions.filter((one) => one.worktrees.join() !== worktrees.join())
  return fileCount === 0 ? others : [...others, { worktrees, files, fileCount }]
}
