import { createHash } from "node:crypto"
import * as z from "zod"
import type { RecordBody, StoredRecord } from "../storage/records.ts"
import { deflate, inflate } from "../text/deflate.ts"
import { wellFormedJson } from "../text/well-formed.ts"
import type { BaseEvent, PayloadRef, Stored } from "./event.ts"

/** Events that one writer appends together, in order and as one record. */
export interface Batch<E extends BaseEvent = BaseEvent> {
  firstSeq: number
  lastSeq: number
  batchId: string
  writer: string
  events: Stored<E>[]
}

export interface NewBatch<E extends BaseEvent = BaseEvent> {
  /** ID of this batch. If the log contains it, the append succeeded. */
  batchId: string
  writer: string
  /** Time of the append in Unix milliseconds. It becomes the `ts` of every event. */
  at: number
  events: E[]
}

const COMPRESS_ABOVE_BYTES = 1024
const PAYLOAD_LIMIT_BYTES = 32 * 1024

/** Encodes a batch without the numbers of its events, which are unknown until the batch is stored. */
export async function encodeBatch(batch: NewBatch): Promise<RecordBody> {
  const value = { batch_id: batch.batchId, writer: batch.writer, at: batch.at, count: batch.events.length }
  const text = JSON.stringify(batch.events)
  if (Buffer.byteLength(text) <= COMPRESS_ABOVE_BYTES) return { value: { ...value, events: JSON.parse(text) } }
  return { value, bytes: await deflate(text) }
}

const BatchRecord = z.object({
  batch_id: z.string(),
  writer: z.string(),
  at: z.number(),
  count: z.int().positive(),
  events: z.array(z.custom<BaseEvent>(hasType)).optional(),
})

/**
 * True if the value is an event. Doesn't use an object schema, which would copy each event and drop a field named
 * `__proto__`.
 */
function hasType(event: unknown): boolean {
  return typeof event === "object" && event !== null && "type" in event && typeof event.type === "string"
}

/** Decodes the batch in a record. Doesn't check the fields of its events, because only this code writes them. */
export async function decodeBatch<E extends BaseEvent>(record: StoredRecord): Promise<Batch<E>> {
  const stored = BatchRecord.parse(record.value)
  const firstSeq = Number(record.key.sort)
  const events = (stored.events as E[] | undefined) ?? JSON.parse(await inflate(record.bytes ?? Buffer.alloc(0)))
  return numberBatch({ batchId: stored.batch_id, writer: stored.writer, at: stored.at, events }, firstSeq)
}

/** Numbers the events in a batch, starting at `firstSeq`. */
export function numberBatch<E extends BaseEvent>(batch: NewBatch<E>, firstSeq: number): Batch<E> {
  const ts = new Date(batch.at).toISOString()
  const eventId = batch.batchId.replace(/^bat_/, "evt_")
  const events = batch.events.map((event, index) => ({
    ...event,
    event_id: `${eventId}_${index}`,
    seq: firstSeq + index,
    ts,
  }))
  return { firstSeq, lastSeq: firstSeq + events.length - 1, batchId: batch.batchId, writer: batch.writer, events }
}

/** Pads the number with zeros, so that keys sort numerically. */
export function batchSort(firstSeq: number): string {
  return String(firstSeq).padStart(12, "0")
}

/**
 * Prepares an event for storage. Moves fields above 32 KB to blobs, so that records stay small. If a text was cut in
 * the middle of a character, makes it well-formed.
 */
export async function externalise<E extends BaseEvent>(
  event: E,
  store: (sha256: string, bytes: Uint8Array) => Promise<string>,
): Promise<E> {
  const entries = await Promise.all(
    Object.entries(event).map(async ([field, content]): Promise<[string, unknown]> => {
      const json = JSON.stringify(content) ?? "null"
      const wellFormed = wellFormedJson(json)
      const bytes = Buffer.from(wellFormed)
      if (bytes.length <= PAYLOAD_LIMIT_BYTES) return [field, wellFormed === json ? content : JSON.parse(wellFormed)]
      const sha256 = createHash("sha256").update(bytes).digest("hex")
      const key = await store(sha256, bytes)
      return [field, { sha256, size_bytes: bytes.length, key } satisfies PayloadRef]
    }),
  )
  return Object.fromEntries(entries) as unknown as E
}
