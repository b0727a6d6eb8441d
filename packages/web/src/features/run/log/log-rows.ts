import type { NodeName } from "@switchyard/core/work/workflow/schema"
import { type EventOfType, type StudioEvent, whole } from "../../../session/stream/event.ts"
import { bytes, duration } from "../../../ui/time.ts"
import { count, debug, type LogRow, row } from "./log-row.ts"
import { isWorktreeNews, worktreeRow } from "./worktree-rows.ts"

const names = { planner: "Planner", architect: "Architect", coder: "Coder" } satisfies Record<NodeName, string>

const always: ReadonlySet<StudioEvent["type"]> = new Set([
  "run_created",
  "run_completed",
  "run_failed",
  "run_cancelled",
  "run_cancel_requested",
  "run_parked",
  "run_resumed",
  "run_relaunched",
  "node_started",
  "node_finished",
  "model_retried",
  "milestone",
  "user_message",
  "assistant_message",
  "progress",
  "runner_awaited",
  "agent_turn_started",
  "agent_turn_finished",
  "agent_retried",
  "agent_notice",
])

/** Whether the log shows the event when nobody asked for details: beginnings, ends, and whatever went wrong. */
export function isSummary(event: StudioEvent): boolean {
  // An edit by hand belongs to no run: it is the reader's own, and worth a line.
  if (event.type === "workspace_committed") return event.run_id === undefined
  return always.has(event.type) || isWorktreeNews(event)
}

/** What the log says of an event. */
export function rowOf(event: StudioEvent): LogRow {
  switch (event.type) {
    case "node_started":
      return row(event.node, `${names[event.node]} started`, [`(${event.iteration})`])
    case "node_finished":
      return finished(event)
    case "run_created":
      return { ...row("system", `Run started`, [event.model]), severity: "info" }
    case "run_claimed":
      return debug("system", `An executor took the run`, [`generation ${event.generation}`, event.executor])
    case "run_relaunched":
      return { ...row("system", `Started again: ${event.reason}`, [`attempt ${event.attempt}`]), severity: "warn" }
    case "run_handed_over":
      return debug("system", "Handed over to a successor", [])
    case "run_parked":
      return { ...row("system", `Waiting: ${event.reason}`, []), severity: "warn" }
    case "run_resumed":
      return row("system", "Going on", [])
    case "run_cancel_requested":
      return row("system", "You asked the run to stop", [])
    case "run_completed":
      return event.warning === undefined
        ? { ...row("system", "Run complete", [duration(event.duration_ms)]), severity: "success" }
        : {
            ...row("system", "Run complete, with a warning", [duration(event.duration_ms)]),
            severity: "warn",
            hint: event.warning,
          }
    case "run_cancelled":
      return row("system", "Stopped by you", event.duration_ms > 0 ? [duration(event.duration_ms)] : [])
    case "run_failed":
      return {
        ...row("system", withoutPrefix(event.message), [event.error_type, duration(event.duration_ms)]),
        severity: "error",
        hint: event.message.includes(event.hint) ? undefined : event.hint,
      }
    case "model_text":
      return debug(whoOf(event), event.text, [count(event.lengths.length, "piece")])
    case "model_usage":
      return debug(whoOf(event), "Tokens used", usageOf(event.usage))
    case "model_retried": {
      const wait = `again in ${duration(event.wait_ms)}`
      return {
        ...row(whoOf(event), `The model did not answer (${event.error_type})`, [`attempt ${event.attempt}`, wait]),
        severity: "warn",
      }
    }
    case "tool_call_started":
      return debug(whoOf(event), [event.tool, event.path].filter(Boolean).join(" "), sizeOf(event.file_bytes))
    case "tool_call_finished":
      return debug(whoOf(event), event.llm_summary, [duration(event.duration_ms)])
    case "workspace_committed":
      return committed(event)
    case "session_opened":
      return debug("system", "Session opened", [])
    case "session_deleted":
      return { ...row("system", "The session was deleted", []), severity: "warn" }
    case "user_message":
      return row(event.source === "continuation" ? "system" : "you", whole(event.content) ?? "", [])
    case "assistant_message":
      return row("agent", saidIn(event), [])
    case "progress":
      return row(
        "agent",
        [event.summary, event.next_step].filter(Boolean).join(" Next: "),
        event.location ? [event.location] : [],
      )
    case "milestone":
      return { ...row("agent", `${event.title}: ${event.summary}`, []), severity: "success" }
    case "agent_turn_started":
      return row("agent", `${event.cli} started`, event.attempt > 1 ? [`attempt ${event.attempt}`] : [])
    case "agent_turn_finished":
      return turnFinished(event)
    case "agent_retried":
      return { ...row("agent", event.message, [event.problem]), severity: "warn" }
    case "agent_notice":
      return { ...row("agent", event.text, []), severity: "warn" }
    case "agent_usage":
      return debug("agent", "Tokens used", usageOf(event.usage))
    case "agent_quota":
      return debug("agent", `${event.used_percent} % of the ${event.window} limit used`, [])
    case "agent_permitted":
      return debug("agent", `Allowed to use ${event.tool}`, [])
    case "terminal_opened":
      return debug("agent", `Terminal ${event.title} opened`, [`${event.cols} × ${event.rows}`])
    case "terminal_closed":
      return debug("agent", "Terminal closed", event.exit_code === null ? [] : [`exit ${event.exit_code}`])
    case "runner_awaited":
      return awaited(event)
    case "runner_claimed":
      return debug("system", "A runner took the session", [`generation ${event.generation}`])
    case "runner_parked":
      return debug("system", `The runner parked: ${event.reason}`, [])
    case "unknown":
      return debug("system", event.name, [])
    case "agent_session_opened":
      return debug("agent", "The agent's program opened a session of its own", [])
    default:
      return worktreeRow(event)
  }
}

const underway: Record<string, string> = {
  requested: "A runner was asked for",
  provisioning: "The runner's machine is made ready",
  pending: "The runner is fetched",
  running: "The runner begins",
}

function awaited({ phase, attempt, reason }: EventOfType<"runner_awaited">): LogRow {
  const said = underway[phase]
  if (said) return row("system", said, attempt > 1 ? [`attempt ${attempt}`] : [])
  const what = phase === "lost" ? "The runner was lost" : "No runner could be had yet"
  return { ...row("system", `${what}: ${reason ?? "without a reason"}`, [`attempt ${attempt}`]), severity: "warn" }
}

function finished(event: EventOfType<"node_finished">): LogRow {
  const took = [duration(event.duration_ms)]
  const update = whole(event.update) ?? {}
  const { current_step_idx: step, total_steps: total, file_path: path, plan, task_plan } = update
  if (event.node === "coder" && update.status === "DONE")
    return row("coder", `Coder finished: ${total ?? 0} of ${total ?? 0} files`, took)
  if (event.node === "coder" && path) return row("coder", `File ${step} of ${total}: ${path}`, took)
  const files = update.planned_files ?? plan?.files.length
  if (files !== undefined) return row("planner", `Planner finished: ${count(files, "file")} planned`, took)
  const steps = task_plan?.implementation_steps.length
  if (steps !== undefined) return row("architect", `Architect finished: ${count(steps, "step")}`, took)
  return row(event.node, `${names[event.node]} finished`, took)
}

function saidIn(event: EventOfType<"assistant_message">): string {
  const blocks = whole(event.blocks) ?? []
  return blocks.flatMap((block) => (block.kind === "text" ? [block.content] : [])).join("\n")
}

function turnFinished({ outcome, duration_ms }: EventOfType<"agent_turn_finished">): LogRow {
  const took = [duration(duration_ms)]
  if (outcome.type === "completed") return row("agent", "The agent has finished", took)
  if (outcome.type === "needs_continuation") return row("agent", "The turn ended without a summary", took)
  return { ...row("agent", outcome.message ?? outcome.type, took), severity: "error" }
}

function committed(event: EventOfType<"workspace_committed">): LogRow {
  const changes = whole(event.changes) ?? []
  const [first] = changes
  const verb = { write: "saved", delete: "deleted", rename: "renamed", make_folder: "made" }
  const told = changes.length === 1 && first ? `${first.path} ${verb[first.op]}` : count(changes.length, "change")
  const version = [`version ${event.version}`]
  return event.run_id === undefined ? row("you", told, version) : debug("system", told, version)
}

function whoOf(event: { node?: NodeName }): LogRow["who"] {
  return event.node ?? "agent"
}

function usageOf(usage: { input: number | null; output: number | null; cache_read: number | null }): string[] {
  const told = [
    usage.input !== null && `${usage.input} in`,
    usage.cache_read !== null && `${usage.cache_read} from cache`,
    usage.output !== null && `${usage.output} out`,
  ].filter((text) => text !== false)
  return told.length > 0 ? told : ["not reported"]
}

function sizeOf(size: number | undefined): string[] {
  return size === undefined ? [] : [bytes(size)]
}

/** A message that went through several hands says "Error:" once a hand. */
function withoutPrefix(message: string): string {
  return message.replace(/^(\s*Error:\s*)+/i, "")
}
