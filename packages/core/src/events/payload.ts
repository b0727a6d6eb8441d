import type * as z from "zod"
import { type Blobs, readAll } from "../storage/blobs.ts"
import { PayloadRef } from "./schema.ts"

/** A field of an event, fetched if it was too large to stand in the log. */
export async function readField<T extends z.ZodType>(
  blobs: Blobs,
  field: unknown,
  schema: T,
  options: { signal?: AbortSignal },
): Promise<z.infer<T>> {
  const ref = PayloadRef.safeParse(field)
  if (!ref.success) return schema.parse(field)
  const source = await blobs.get(ref.data.key, options)
  if (!source) throw new Error(`The payload ${ref.data.key} is gone.`)
  return schema.parse(JSON.parse((await readAll(source)).toString()))
}
