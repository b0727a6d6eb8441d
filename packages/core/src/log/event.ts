import * as z from "zod"

/** Reference to a field above 32 KB, stored as JSON in a blob. */
export const PayloadRef = z.object({ sha256: z.string(), size_bytes: z.number(), key: z.string() })
export type PayloadRef = z.infer<typeof PayloadRef>

/** Marks a field that may be stored in a blob. Rules must not depend on fields marked in this way. */
export function large<T extends z.ZodType>(schema: T) {
  return z.union([PayloadRef, schema])
}

/** Minimal shape of an event. Each log defines its own types. */
export interface BaseEvent {
  type: string
}

/** Fields that the log adds to an event. `seq` identifies and orders events; `ts` is only for display. */
export const EventHeader = z.object({ event_id: z.string(), seq: z.int().positive(), ts: z.iso.datetime() })
export type EventHeader = z.infer<typeof EventHeader>

/** An event as stored in a log. */
export type Stored<E> = E & EventHeader

declare const eventOf: unique symbol

/** Name of a log. Its type contains the type of the log's events. */
export type LogName<E extends BaseEvent = BaseEvent> = string & { readonly [eventOf]?: E }
