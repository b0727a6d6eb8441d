import type { SessionEvent } from "@switchyard/core/events"
import type { CommittedChange } from "@switchyard/core/files/workspaces/schema"
import { PayloadRef } from "@switchyard/core/log/event"
import { updateOf } from "@switchyard/core/work/runs/progress"
import { bytes, count, seconds } from "./units.ts"

/** One line about one event. Its text is as hostile as whoever wrote it: only a terminal prints it. */
export interface Line {
  who: string
  text: string
  tone: "plain" | "quiet" | "good" | "bad"
}

/** An event as a person reads it; nothing for what only programs need, and for model text, which the status tells. */
export function render(event: SessionEvent): Line | undefined {
  switch (event.type) {
    case "node_started":
      return line(event.node, "started", "quiet")
    case "node_finished":
      return line(event.node, `${finished(event)} in ${seconds(event.duration_ms)}`, "plain")
    case "model_retried":
      return line(
        event.node ?? "agent",
        `the model failed (${event.error_type}), attempt ${event.attempt} in ${seconds(event.wait_ms)}`,
        "bad",
      )
    case "tool_call_started":
      return line(event.node ?? "agent", [event.tool, event.path ?? event.command].filter(Boolean).join(" "), "quiet")
    case "tool_call_finished":
      return event.exit_code
        ? line(event.node ?? "agent", `a tool ended with exit code ${event.exit_code}`, "bad")
        : undefined
    case "workspace_committed":
      return line("files", changes(event.changes), "good")
    case "session_deleted":
      return line("files", "the workspace was deleted", "bad")
    default:
      return isRunLife(event) ? renderRun(event) : renderAgent(event)
  }
}

type RunLifeEvent = Extract<SessionEvent, { type: `run_${string}` }>

function isRunLife(event: SessionEvent): event is RunLifeEvent {
  return event.type.startsWith("run_")
}

/** Of an agent, what somebody who waits for it wants to know; the rest is for its terminal. */
function renderAgent(event: SessionEvent): Line | undefined {
  switch (event.type) {
    case "agent_turn_started":
      return line("agent", `${event.cli} started${event.attempt > 1 ? `, attempt ${event.attempt}` : ""}`, "quiet")
    case "agent_turn_finished":
      return event.outcome.type === "completed" || event.outcome.type === "needs_continuation"
        ? line("agent", "finished its turn", "quiet")
        : line("agent", event.outcome.message, "bad")
    case "agent_retried":
      return line("agent", `asks its model again: ${event.message}`, "bad")
    case "progress":
      return line("agent", event.summary, "plain")
    case "milestone":
      return line("agent", `${event.title}: ${event.summary}`, "good")
    default:
      return undefined
  }
}

function renderRun(event: RunLifeEvent): Line {
  switch (event.type) {
    case "run_created":
      return line("run", `accepted, for ${event.model}`, "quiet")
    case "run_relaunched":
      return line("run", `launched again (attempt ${event.attempt}): ${event.reason}`, "bad")
    case "run_claimed":
      return line("run", event.generation === 1 ? "started" : "taken over", "quiet")
    case "run_handed_over":
      return line("run", "handed over to a successor", "quiet")
    case "run_parked":
      return line("run", `parked: ${event.reason}`, "plain")
    case "run_resumed":
      return line("run", "resumed", "plain")
    case "run_cancel_requested":
      return line("run", `asked to stop: ${event.reason}`, "plain")
    case "run_completed":
      return event.warning === undefined
        ? line("run", `completed in ${seconds(event.duration_ms)}`, "good")
        : line("run", `completed in ${seconds(event.duration_ms)}, with a warning: ${event.warning}`, "bad")
    case "run_failed":
      return line(
        "run",
        `failed: ${[event.message, event.hint].filter(Boolean).join(" ")} (${event.error_type})`,
        "bad",
      )
    case "run_cancelled":
      return line("run", `cancelled after ${seconds(event.duration_ms)}: ${event.reason}`, "bad")
  }
}

function line(who: string, text: string, tone: Line["tone"]): Line {
  return { who, text, tone }
}

function finished(event: Extract<SessionEvent, { type: "node_finished" }>): string {
  const { plan, task_plan, status, file_path, current_step_idx, total_steps } = updateOf(event)
  if (plan) return `planned ${plan.name}: ${count(plan.files.length, "file")} (${names(plan.files)})`
  if (task_plan) return `made ${count(task_plan.implementation_steps.length, "step")}`
  if (status === "DONE") return "had nothing left to write"
  if (file_path && current_step_idx) return `finished file ${current_step_idx}/${total_steps ?? "?"} ${file_path}`
  return "finished"
}

function names(files: { path: string }[]): string {
  return files.map((file) => file.path).join(", ")
}

function changes(list: CommittedChange[] | PayloadRef): string {
  const ref = PayloadRef.safeParse(list)
  if (ref.success || !Array.isArray(list)) return "saved many files"
  const told = list.slice(0, 5).map(change)
  return list.length > told.length ? `${told.join(", ")} and ${list.length - told.length} more` : told.join(", ")
}

function change({ op, path, from_path, size_bytes }: CommittedChange): string {
  if (op === "write") return `saved ${path}${size_bytes === undefined ? "" : ` (${bytes(size_bytes)})`}`
  if (op === "rename") return `renamed ${from_path} to ${path}`
  return op === "delete" ? `deleted ${path}` : `made folder ${path}`
}
