import { debug, type Headline } from "@switchyard/core/work/headlines/headline"
import { headlineOf } from "@switchyard/core/work/headlines/headlines"
import { isRest } from "@switchyard/core/work/headlines/run-headlines"
import { resultText } from "@switchyard/core/work/headlines/worktree-headlines"
import { withoutSummary } from "../../../session/stream/agent-text.ts"
import { type EventOfType, inlined, type StudioEvent } from "../../../session/stream/event.ts"

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
  "files_checked",
  "check_finished",
  "files_reviewed",
  "model_retried",
  "model_replaced",
  "answer_rejected",
  "milestone",
  "progress",
  "runner_awaited",
  "agent_created",
  "agent_program_changed",
  "agent_closed",
  "agent_turn_started",
  "agent_turn_finished",
  "agent_retried",
  "provider_switched",
  "agent_notice",
  "agent_refused",
  "agent_mode_changed",
  "agent_tool_allowed",
  "question_asked",
  "question_answered",
])

/** Returns true if the log shows the event without details: beginnings, ends, and problems. */
export function isSummary(event: StudioEvent): boolean {
  switch (event.type) {
    // A manual edit doesn't belong to a run. It is the user's own, so it is worth a line.
    case "workspace_committed":
      return event.run_id === undefined
    // The product's own instructions to an agent aren't shown.
    case "user_message":
      return event.source !== "continuation"
    case "assistant_message":
      return messageText(event) !== ""
    default:
      return (always.has(event.type) && !isRest(event)) || isWorktreeNews(event)
  }
}

/** Returns true for worktree events worth a line without details: command results and failures. */
function isWorktreeNews(event: StudioEvent): boolean {
  switch (event.type) {
    case "worktree_command_finished":
      return event.error !== null || resultText(event) !== undefined
    // The agent's notice has already reported the pending deletions.
    case "worktree_command_expired":
    case "worktree_restored":
    case "deletions_settled":
      return true
    default:
      return false
  }
}

/** Returns an event's headline. If this studio doesn't know the type, that is its name. */
export function rowOf(event: StudioEvent, { details = false } = {}): Headline {
  switch (event.type) {
    case "unknown":
      return debug("system", event.name)
    case "run_created":
      return requestRow(event)
    case "user_message":
      return event.source === "continuation" ? headlineOf(event) : typedRow(event)
    // Its agent already has a column.
    case "question_asked":
      return { ...headlineOf(event), meta: [] }
    case "assistant_message":
      return details ? headlineOf(event) : { ...headlineOf(event), text: messageText(event) }
    default:
      return headlineOf(event)
  }
}

function messageText(event: EventOfType<"assistant_message">): string {
  return withoutSummary(headlineOf(event).text)
}

/** Marks a person's message like a typed line. */
function typedRow(event: EventOfType<"user_message">): Headline {
  const row = headlineOf(event)
  return { ...row, text: `❯ ${row.text}` }
}

/** Maximum characters of a request in the log. The conversation shows all of it. */
const REQUEST_CHARS = 240

function requestRow(event: EventOfType<"run_created">): Headline {
  const input = inlined(event.input)
  // An agent's task is its first message.
  const request = (input && "user_prompt" in input ? input.user_prompt : undefined) ?? ""
  if (request === "") return headlineOf(event)
  const isLong = request.length > REQUEST_CHARS
  return { ...headlineOf(event), hint: isLong ? `${request.slice(0, REQUEST_CHARS).trimEnd()} …` : request }
}
