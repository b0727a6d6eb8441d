import * as z from "zod"

/** The place of a field above 32 KB: JSON in a blob. */
export const PayloadRef = z.object({ sha256: z.string(), size_bytes: z.number(), key: z.string() })
export type PayloadRef = z.infer<typeof PayloadRef>

/** A field that may be stored in a blob. Never one that a rule decides on. */
export function large<T extends z.ZodType>(schema: T) {
  return z.union([PayloadRef, schema])
}

/** The least that an event is; each log has types of its own. */
export interface BaseEvent {
  type: string
}

/** The fields that the log adds. `seq` is order and identity; `ts` is for people. */
export const EventHeader = z.object({ event_id: z.string(), seq: z.int().positive(), ts: z.iso.datetime() })
export type EventHeader = z.infer<typeof EventHeader>

/** An event as it is stored in a log. */
export type Stored<E> = E & EventHeader

declare const eventOf: unique symbol

/** The name of a log, which has the type of its events. */
export type LogName<E extends BaseEvent = BaseEvent> = string & { readonly [eventOf]?: E }
