import { type EventPlace, type NewEvent, PayloadRef, SessionEvent } from "@switchyard/core/events/schema"
import { ToldEvent } from "@switchyard/core/sessions/schema"

/** An event of a type that this studio doesn't know: a newer server's. It counts, and shows by its name. */
export interface UnknownEvent extends EventPlace {
  type: "unknown"
  name: string
  run_id?: string
}

export type StudioEvent = (NewEvent & EventPlace) | UnknownEvent

export type EventOfType<T extends StudioEvent["type"]> = Extract<StudioEvent, { type: T }>

/** What the server sent, as an event. Throws a ZodError for what is none at all. */
export function toEvent(sent: unknown): StudioEvent {
  const told = ToldEvent.parse(sent)
  const { event_id, seq, ts } = told
  const known = SessionEvent.safeParse(sent)
  if (known.success) return { ...known.data, event_id, seq, ts }
  return { type: "unknown", name: told.type, run_id: told.run_id, event_id, seq, ts }
}

/** A field that may have been too large for the log. The server sends it whole, unless its bytes are gone. */
export function whole<T>(field: T): Exclude<T, PayloadRef> | undefined {
  return PayloadRef.safeParse(field).success ? undefined : (field as Exclude<T, PayloadRef>)
}
