import type { RunStatus } from "@switchyard/core/work/runs/schema"
import { type AgentView, noAgent, reduceAgent } from "./agent.ts"
import { type EventOfType, inlined, type StudioEvent } from "./event.ts"
import { type FilesView, noFiles, reduceFiles } from "./files.ts"
import { type GraphView, idleGraph, reduceGraph } from "./graph.ts"
import { noWork, reduceWork, type WorkView } from "./work.ts"

export interface RunView {
  runId: string
  agentId: string
  /** The name of the worktree that its agent works in. */
  worktree: string
  kind: string
  model: string
  prompt: string
  /** The account or the program of a coding agent; null for a workflow. */
  agent: string | null
  status: RunStatus
  cancelRequested: boolean
  firstSeq: number
  startedAt: string
  durationMs: number | null
  /** The reason to check the result of a run that completed. */
  warning: string | null
  error: { type: string; message: string; hint: string } | null
}

/** One agent of a session: its newest run, and what that has used. */
export interface AgentState {
  run: RunView | null
  agent: AgentView
  tokens: { input: number; output: number } | null
}

/** A session at one moment of its log. Live, resumed and replayed screens are all drawn from it. */
export interface SessionView extends AgentState {
  /** The last folded event. */
  seq: number
  deleted: boolean
  graph: GraphView
  files: FilesView
  /** By id; events of no agent are `main`'s. */
  agents: Readonly<Record<string, AgentState>>
  /** By name. */
  worktrees: Readonly<Record<string, WorkView>>
  /** The session's newest run, with the state of its agent and the terminals of all agents. */
  run: RunView | null
  /** The worktree of that run. */
  work: WorkView
}

const MAIN = "main"
const noState: AgentState = { run: null, agent: noAgent, tokens: null }

export const emptyView: SessionView = {
  seq: 0,
  deleted: false,
  ...noState,
  graph: idleGraph,
  files: noFiles,
  agents: { [MAIN]: noState },
  worktrees: {},
  work: noWork,
}

/** The view after one more event. One that was folded before changes nothing: order and identity are `seq`. */
export function reduceView(view: SessionView, event: StudioEvent): SessionView {
  if (event.seq <= view.seq) return view
  if (event.type === "session_opened") return { ...emptyView, seq: event.seq }
  const agents = reduceAgents(view.agents, event)
  const worktrees = reduceWorktrees(view.worktrees, agents, event)
  const agentId = event.type === "run_created" ? event.agent_id : view.run?.agentId
  const shown = stateOf(agents, agentId)
  return {
    seq: event.seq,
    deleted: view.deleted || event.type === "session_deleted",
    graph: reduceGraph(view.graph, event),
    files: reduceFiles(view.files, event),
    agents,
    worktrees,
    ...shown,
    agent: withAllTerminals(shown.agent, agents),
    work: workOf(worktrees, shown.run?.worktree),
  }
}

function stateOf(agents: SessionView["agents"], agentId = MAIN): AgentState {
  return Object.hasOwn(agents, agentId) ? (agents[agentId] ?? noState) : noState
}

function workOf(worktrees: SessionView["worktrees"], name = MAIN): WorkView {
  return Object.hasOwn(worktrees, name) ? (worktrees[name] ?? noWork) : noWork
}

/** The agents after an event: of the one that it names, or of each, since a runner's end concerns them all. */
function reduceAgents(agents: SessionView["agents"], event: StudioEvent): SessionView["agents"] {
  const ids = event.agent_id === undefined ? Object.keys(agents) : [event.agent_id]
  const changed: Record<string, AgentState> = {}
  for (const id of ids) {
    const before = stateOf(agents, id)
    const run = reduceRun(before.run, event)
    const agent = reduceAgent(before.agent, event)
    const tokens = reduceTokens(before.tokens, event)
    if (run !== before.run || agent !== before.agent || tokens !== before.tokens) changed[id] = { run, agent, tokens }
  }
  return Object.keys(changed).length > 0 ? { ...agents, ...changed } : agents
}

function reduceWorktrees(
  worktrees: SessionView["worktrees"],
  agents: SessionView["agents"],
  event: StudioEvent,
): SessionView["worktrees"] {
  // The end of a turn doesn't name the worktree that it may have changed.
  const ofTurn = event.type === "agent_turn_finished" ? stateOf(agents, event.agent_id).run?.worktree : undefined
  const named = "worktree" in event ? event.worktree : undefined
  const name = ofTurn ?? named ?? MAIN
  const before = workOf(worktrees, name)
  const after = reduceWork(before, event)
  return after === before ? worktrees : { ...worktrees, [name]: after }
}

/** Every terminal of the session can be looked at, whichever agent works in it. Their ids are in order of time. */
function withAllTerminals(agent: AgentView, agents: SessionView["agents"]): AgentView {
  const others = Object.values(agents).filter((other) => other.agent !== agent && other.agent.terminals.length > 0)
  if (others.length === 0) return agent
  const terminals = [...agent.terminals, ...others.flatMap((other) => other.agent.terminals)]
  return { ...agent, terminals: terminals.sort((a, b) => (a.pty < b.pty ? -1 : 1)) }
}

export function isRunning(run: RunView | null): boolean {
  return run !== null && (run.status === "queued" || run.status === "running")
}

function reduceRun(run: RunView | null, event: StudioEvent): RunView | null {
  if (event.type === "run_created") {
    return {
      runId: event.run_id,
      agentId: event.agent_id ?? MAIN,
      worktree: event.worktree ?? MAIN,
      kind: event.kind,
      model: event.model,
      prompt: promptOf(event.input) ?? event.title ?? "",
      agent: agentOf(event.input),
      status: "queued",
      cancelRequested: false,
      firstSeq: event.seq,
      startedAt: event.ts,
      durationMs: null,
      warning: null,
      error: null,
    }
  }
  if (!run || !("run_id" in event) || event.run_id !== run.runId) return run
  const change = runChange(event)
  return change ? { ...run, ...change } : run
}

function promptOf(input: EventOfType<"run_created">["input"]): string | undefined {
  const request = inlined(input)
  if (!request) return undefined
  return "user_prompt" in request ? request.user_prompt : request.task
}

function agentOf(input: EventOfType<"run_created">["input"]): string | null {
  const request = inlined(input)
  return request && "cli" in request ? (request.account ?? request.cli) : null
}

function runChange(event: StudioEvent): Partial<RunView> | undefined {
  switch (event.type) {
    case "run_claimed":
      return { status: "running" }
    case "run_relaunched":
    case "run_resumed":
    case "run_handed_over":
      return { status: "queued" }
    case "run_parked":
      return { status: "parked" }
    case "run_cancel_requested":
      return { cancelRequested: true }
    case "run_completed":
      return { status: "completed", durationMs: event.duration_ms, warning: event.warning ?? null }
    case "run_cancelled":
      return { status: "cancelled", durationMs: event.duration_ms }
    case "run_failed": {
      const { error_type: type, message, hint } = event
      return { status: "failed", durationMs: event.duration_ms, error: { type, message, hint } }
    }
    default:
      return undefined
  }
}

/** The tokens of the newest run, as far as its models reported them. */
function reduceTokens(tokens: AgentState["tokens"], event: StudioEvent): AgentState["tokens"] {
  if (event.type === "run_created") return null
  if (event.type !== "model_usage") return tokens
  const { input, cache_read, cache_write, output } = event.usage
  if (input === null && output === null) return tokens
  return {
    input: (tokens?.input ?? 0) + (input ?? 0) + (cache_read ?? 0) + (cache_write ?? 0),
    output: (tokens?.output ?? 0) + (output ?? 0),
  }
}
