import {
  type DecodedFields,
  type Decoder,
  isObject,
  number,
  object,
  optional,
  text,
  tryDecode,
} from "../../api/decode.ts"
import { fieldsByType, isRef, type PayloadRef } from "./event-fields.ts"
import type { ReadEvents } from "./read-events.ts"

interface EventHeader {
  event_id: string
  /** Position and identity. */
  seq: number
  ts: string
  run_id?: string
  agent_id?: string
}

/** An event of a type unknown to this studio, perhaps from a newer server. Shown by its name. */
export interface UnknownEvent extends EventHeader {
  type: "unknown"
  name: string
}

type KnownEvents = ReadEvents<{
  [T in keyof typeof fieldsByType]: EventHeader & { type: T } & DecodedFields<(typeof fieldsByType)[T]>
}>

export type StudioEvent = KnownEvents[keyof KnownEvents] | UnknownEvent

export type EventOfType<T extends StudioEvent["type"]> = Extract<StudioEvent, { type: T }>

/** Frequent event types that no view depends on. */
const transientTypes: ReadonlySet<string> = new Set([
  "model_text",
  "file_text",
  "file_edit_text",
  "model_reasoning",
  "tool_call_started",
  "tool_call_finished",
  "runner_parked",
  "agent_quota",
  "agent_context",
  "context_condensed",
  "agent_permitted",
  "agent_refused",
  "agent_tool_allowed",
  "start_files_allowed",
  "agent_session_opened",
  "user_message",
  "assistant_message",
  "agent_draft_changed",
  "worktree_command_started",
  "project_saved",
  "unknown",
])

/**
 * Event types that views depend on. Folding only these gives the same view at every moment as folding the whole log.
 */
export const structuralTypes = Object.keys(fieldsByType).filter((type) => !transientTypes.has(type))

export function isStructural({ type }: StudioEvent): boolean {
  return !transientTypes.has(type)
}

const EventHeaderDecoder = object({
  event_id: text,
  seq: number,
  ts: text,
  run_id: optional(text),
  agent_id: optional(text),
})
const decoders = new Map<string, Decoder<object>>(
  Object.entries(fieldsByType).map(([type, fields]) => [type, object(fields)]),
)

/** Decodes an event from the server. Throws a TypeError if it isn't one. */
export function toEvent(sent: unknown): StudioEvent {
  const header = EventHeaderDecoder.parse(sent)
  const name = text.parse(isObject(sent) ? sent.type : undefined)
  const decoder = decoders.get(name)
  const fields = decoder && tryDecode(decoder, sent)
  return (fields ? { ...header, type: name, ...fields } : { ...header, type: "unknown", name }) as StudioEvent
}

/**
 * Returns the value of a field that may have been too large for the log. The server inlines it, unless its bytes are
 * gone.
 */
export function inlined<T>(field: T): Exclude<T, PayloadRef> | undefined {
  return isRef(field) ? undefined : (field as Exclude<T, PayloadRef>)
}
