import * as z from "zod"
import { type Blobs, readAll } from "../storage/blobs.ts"
import { type BaseEvent, PayloadRef } from "./event.ts"

/** Returns a field of an event. If the field was too large for the log, loads it. */
export async function readField<T extends z.ZodType>(
  blobs: Blobs,
  field: unknown,
  schema: T,
  options: { signal?: AbortSignal },
): Promise<z.infer<T>> {
  const ref = PayloadRef.safeParse(field)
  if (!ref.success) return schema.parse(field)
  const source = await blobs.get(ref.data.key, options)
  if (!source) throw new Error(`The payload ${ref.data.key} is missing.`)
  return schema.parse(JSON.parse((await readAll(source)).toString()))
}

/** Returns the event with all of its fields. Loads fields that were too large for the log. */
export async function hydrateEvent<E extends BaseEvent>(
  blobs: Blobs,
  event: E,
  options: { signal?: AbortSignal },
): Promise<E> {
  // Skip strings and numbers, which nearly all fields are. Trying to parse them as references would take most of a
  // reader's time.
  const fields = Object.entries(event).filter(
    ([, field]) => typeof field === "object" && PayloadRef.safeParse(field).success,
  )
  if (fields.length === 0) return event
  const fetched = fields.map(
    async ([name, field]) => [name, await readField(blobs, field, z.unknown(), options)] as const,
  )
  return { ...event, ...Object.fromEntries(await Promise.all(fetched)) } as E
}
