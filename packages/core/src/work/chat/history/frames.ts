import type { LogEvent } from "../../../events.ts"
import { endsRun } from "../../runs/schema.ts"
import type { ChatEdit, TurnResult, TurnSummary } from "../schema.ts"
import { noResult, unsettled } from "./transcript.ts"

/** A frame in the event stream of a chat. */
export type ChatFrame =
  | { event: "streamChunk"; data: { request_id: string; content: string } }
  | { event: "streamComplete"; data: { request_id: string; result: TurnResult } }
  | { event: "compactionEvent"; data: { request_id: string; event: Record<string, unknown> } }
  | { event: "contextChanged"; data: { seq: number } }

interface OpenTurn {
  requestId: string
  text: string
  result: TurnResult
  isSettled: boolean
}

const CHANGING: ReadonlySet<string> = new Set([
  "chat_opened",
  "chat_files_read",
  "chat_selection_changed",
  "chat_turn_settled",
  "chat_compacted",
  "chat_noted",
  "chat_page_added",
  "chat_page_summarized",
  "chat_page_forgotten",
  "chat_context_rebuilt",
  "chat_review_started",
  "chat_review_ended",
  "chat_system_extra_set",
  "chat_rewound",
  "chat_rewind_requested",
  "chat_fork_requested",
  "chat_files_requested",
  "chat_write_ended",
  "workspace_committed",
])

/** Events that request a run. The end of such a run changes the chat. */
const RESTORING: ReadonlySet<string> = new Set(["chat_rewind_requested", "chat_fork_requested", "chat_files_requested"])

/**
 * Creates a function that converts the events of a hydrated log to a chat's frames. The same events always produce the
 * same frames. Each `streamChunk` frame contains the whole text so far.
 */
export function createChatProjection(): (event: LogEvent) => ChatFrame[] {
  const turns = new Map<string, OpenTurn>()
  const restoring = new Set<string>()

  function project(event: LogEvent): ChatFrame[] {
    if (event.type === "chat_asked") {
      const turn = { requestId: event.request_id, text: "", result: noResult, isSettled: false }
      turns.set(event.run_id, turn)
      return [chunk(turn)]
    }
    const turn = turns.get(event.run_id ?? "")
    return turn ? projectTurn(turn, event) : []
  }

  /** Returns true if an event changes the chat itself rather than only a turn. */
  function isChange(event: LogEvent): boolean {
    if (RESTORING.has(event.type)) restoring.add(event.run_id ?? "")
    return CHANGING.has(event.type) || (endsRun(event) && restoring.has(event.run_id ?? ""))
  }

  return (event) => [
    ...project(event),
    ...(isChange(event) ? [{ event: "contextChanged" as const, data: { seq: event.seq } }] : []),
  ]
}

function projectTurn(turn: OpenTurn, event: LogEvent): ChatFrame[] {
  const { requestId: request_id } = turn
  switch (event.type) {
    case "run_claimed":
    case "model_retried":
      // The model starts its answer again, so drop the text so far.
      return withText(turn, "")
    case "model_text":
      return withText(turn, turn.text + event.text)
    case "chat_answered":
      turn.result = unsettled(event)
      return withText(turn, event.content as string)
    case "chat_edits_applied":
      turn.result = { ...turn.result, edit_results: event.edits as ChatEdit[] }
      return []
    case "chat_turn_settled":
      return complete(turn, { ...turn.result, ...(event.summary as TurnSummary) })
    case "chat_compaction_started":
      return [{ event: "compactionEvent", data: { request_id, event: { stage: "started" } } }]
    case "chat_compacted": {
      const { case: kind, summary, messages_before, messages_after, tokens_before, tokens_after } = event
      const facts = { case: kind, summary, messages_before, messages_after, tokens_before, tokens_after }
      return [{ event: "compactionEvent", data: { request_id, event: { stage: "completed", ...facts } } }]
    }
    default:
      return endsRun(event) ? endOfRun(turn, event) : []
  }
}

function withText(turn: OpenTurn, text: string): ChatFrame[] {
  if (turn.text === text || turn.isSettled) return []
  turn.text = text
  return [chunk(turn)]
}

function chunk({ requestId: request_id, text: content }: OpenTurn): ChatFrame {
  return { event: "streamChunk", data: { request_id, content } }
}

function complete(turn: OpenTurn, result: TurnResult): ChatFrame[] {
  if (turn.isSettled) return []
  turn.isSettled = true
  return [{ event: "streamComplete", data: { request_id: turn.requestId, result } }]
}

/** Ends a turn that was never settled because its executor died or the turn was stopped early. */
function endOfRun(turn: OpenTurn, event: LogEvent): ChatFrame[] {
  const response = turn.result.response || turn.text
  if (event.type === "run_failed") return complete(turn, { ...turn.result, response, error: event.message })
  return complete(turn, { ...turn.result, response, cancelled: event.type === "run_cancelled" })
}
