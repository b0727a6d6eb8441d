import type { RunStatus } from "@switchyard/core/work/runs/schema"
import type { PageElement } from "@switchyard/core/work/workflow/elements-schema"
import { type EventOfType, inlined, type StudioEvent } from "./event.ts"

/** An image of a request, as an artifact of the session. */
interface RequestImage {
  path: string
  name?: string | undefined
}

export interface RunView {
  runId: string
  agentId: string
  /** Name of the worktree that its agent works in. */
  worktree: string
  kind: string
  model: string
  prompt: string
  /** Images that belong to the prompt. Absent without any. */
  images?: readonly RequestImage[]
  /** Elements of the app that the prompt is about. Absent without any. */
  elements?: readonly PageElement[]
  /** Account or program of a coding agent; null for a workflow. */
  agent: string | null
  status: RunStatus
  cancelRequested: boolean
  firstSeq: number
  startedAt: string
  durationMs: number | null
  /** Null as long as its models haven't reported any. */
  tokens: { input: number; output: number } | null
  /** Why to check the result of a completed run. */
  warning: string | null
  error: { type: string; message: string; hint: string } | null
}

/** Agent and worktree of events that don't name any. */
export const MAIN = "main"

export function isRunning(run: RunView | null): boolean {
  return run !== null && (run.status === "queued" || run.status === "running")
}

/** Returns the latest run after one more event; the same object if the event doesn't affect it. */
export function reduceRun(run: RunView | null, event: StudioEvent): RunView | null {
  if (event.type === "run_created") {
    return {
      runId: event.run_id,
      agentId: event.agent_id ?? MAIN,
      worktree: event.worktree ?? MAIN,
      kind: event.kind,
      model: event.model,
      prompt: promptOf(event.input) ?? event.title ?? "",
      ...materialOf(event.input),
      agent: agentOf(event.input),
      status: "queued",
      cancelRequested: false,
      firstSeq: event.seq,
      startedAt: event.ts,
      durationMs: null,
      tokens: null,
      warning: null,
      error: null,
    }
  }
  if (!run || !("run_id" in event) || event.run_id !== run.runId) return run
  const change = runChange(run, event)
  return change ? { ...run, ...change } : run
}

/** Returns the text of a run's request; undefined if it has none or is too large for the log. */
export function promptOf(input: EventOfType<"run_created">["input"]): string | undefined {
  const request = inlined(input)
  if (!request) return undefined
  if ("user_prompt" in request) return request.user_prompt
  if ("goal" in request) return request.goal
  return "cli" in request ? request.task : undefined
}

function materialOf(input: EventOfType<"run_created">["input"]): Pick<RunView, "images" | "elements"> {
  const request = inlined(input)
  if (!request) return {}
  return {
    ...("images" in request && request.images && { images: request.images }),
    ...("elements" in request && request.elements && { elements: request.elements }),
  }
}

function agentOf(input: EventOfType<"run_created">["input"]): string | null {
  const request = inlined(input)
  return request && "cli" in request ? (request.account ?? request.cli) : null
}

function runChange(run: RunView, event: StudioEvent): Partial<RunView> | undefined {
  switch (event.type) {
    case "run_claimed":
      return { status: "running" }
    case "run_relaunched":
    case "run_resumed":
    case "run_handed_over":
      return { status: "queued" }
    // A run that waits for another run continues automatically.
    case "run_parked":
      return { status: event.waits_for?.run === undefined ? "parked" : "running" }
    case "run_cancel_requested":
      return { cancelRequested: true }
    case "model_usage":
      return { tokens: withUsage(run.tokens, event.usage) }
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

function withUsage(tokens: RunView["tokens"], usage: EventOfType<"model_usage">["usage"]): RunView["tokens"] {
  const { input, cache_read, cache_write, output } = usage
  if (input === null && output === null) return tokens
  return {
    input: (tokens?.input ?? 0) + (input ?? 0) + (cache_read ?? 0) + (cache_write ?? 0),
    output: (tokens?.output ?? 0) + (output ?? 0),
  }
}
