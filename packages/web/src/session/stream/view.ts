import type { RunStatus } from "@switchyard/core/work/runs/schema"
import { type AgentView, noAgent, reduceAgent } from "./agent.ts"
import { type EventOfType, type StudioEvent, whole } from "./event.ts"
import { type FilesView, noFiles, reduceFiles } from "./files.ts"
import { type GraphView, idleGraph, reduceGraph } from "./graph.ts"
import { noWork, reduceWork, type WorkView } from "./work.ts"

export interface RunView {
  runId: string
  kind: string
  model: string
  prompt: string
  /** Who works, where an agent does: its account, or its program. */
  agent: string | null
  status: RunStatus
  cancelRequested: boolean
  firstSeq: number
  startedAt: string
  durationMs: number | null
  /** Why somebody should look at what it did, though it ended well. */
  warning: string | null
  error: { type: string; message: string; hint: string } | null
}

/** A session at one moment of its log: what live, resumed and replayed screens are all drawn from. */
export interface SessionView {
  /** The last event that was folded in. */
  seq: number
  deleted: boolean
  /** The newest run. */
  run: RunView | null
  graph: GraphView
  files: FilesView
  agent: AgentView
  work: WorkView
  tokens: { input: number; output: number } | null
}

export const emptyView: SessionView = {
  seq: 0,
  deleted: false,
  run: null,
  graph: idleGraph,
  files: noFiles,
  agent: noAgent,
  work: noWork,
  tokens: null,
}

/** The view after one more event. One that was there before changes nothing: order and identity are `seq`. */
export function reduceView(view: SessionView, event: StudioEvent): SessionView {
  if (event.seq <= view.seq) return view
  if (event.type === "session_opened") return { ...emptyView, seq: event.seq }
  return {
    seq: event.seq,
    deleted: view.deleted || event.type === "session_deleted",
    run: reduceRun(view.run, event),
    graph: reduceGraph(view.graph, event),
    files: reduceFiles(view.files, event),
    agent: reduceAgent(view.agent, event),
    work: reduceWork(view.work, event),
    tokens: reduceTokens(view.tokens, event),
  }
}

export function isRunning(run: RunView | null): boolean {
  return run !== null && (run.status === "queued" || run.status === "running")
}

function reduceRun(run: RunView | null, event: StudioEvent): RunView | null {
  if (event.type === "run_created") {
    return {
      runId: event.run_id,
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
  const asked = whole(input)
  if (!asked) return undefined
  return "user_prompt" in asked ? asked.user_prompt : asked.task
}

function agentOf(input: EventOfType<"run_created">["input"]): string | null {
  const asked = whole(input)
  return asked && "cli" in asked ? (asked.account ?? asked.cli) : null
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

/** What the newest run used, as far as its models reported it. */
function reduceTokens(tokens: SessionView["tokens"], event: StudioEvent): SessionView["tokens"] {
  if (event.type === "run_created") return null
  if (event.type !== "model_usage") return tokens
  const { input, cache_read, cache_write, output } = event.usage
  if (input === null && output === null) return tokens
  return {
    input: (tokens?.input ?? 0) + (input ?? 0) + (cache_read ?? 0) + (cache_write ?? 0),
    output: (tokens?.output ?? 0) + (output ?? 0),
  }
}
