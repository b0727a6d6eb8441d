import { createHash } from "node:crypto"
import * as z from "zod"
import { deflate, inflate } from "../deflate.ts"
import type { RecordBody, StoredRecord } from "../storage/records.ts"
import { wellFormedJson } from "../well-formed.ts"
import type { BaseEvent, PayloadRef, Stored } from "./event.ts"

/** Events that enter a log together: one record, one writer, in order. */
export interface Batch<E extends BaseEvent = BaseEvent> {
  firstSeq: number
  lastSeq: number
  batchId: string
  writer: string
  events: Stored<E>[]
}

export interface NewBatch<E extends BaseEvent = BaseEvent> {
  /** Identifies this batch: if it is in the log, this batch won. */
  batchId: string
  writer: string
  /** Unix milliseconds; every event of the batch carries it as `ts`. */
  at: number
  events: E[]
}

const COMPRESS_ABOVE_BYTES = 1024
const PAYLOAD_LIMIT_BYTES = 32 * 1024

/** The record of a batch, without its number: that is decided by the put. */
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

/** A check and no copy: an object schema would build each event anew, and lose a field that is named `__proto__`. */
function hasType(event: unknown): boolean {
  return typeof event === "object" && event !== null && "type" in event && typeof event.type === "string"
}

/** The batch of a record. Its events are trusted to be those of its log: there are no other writers. */
export async function decodeBatch<E extends BaseEvent>(record: StoredRecord): Promise<Batch<E>> {
  const stored = BatchRecord.parse(record.value)
  const firstSeq = Number(record.key.sort)
  const events = (stored.events as E[] | undefined) ?? JSON.parse(await inflate(record.bytes ?? Buffer.alloc(0)))
  return numberBatch({ batchId: stored.batch_id, writer: stored.writer, at: stored.at, events }, firstSeq)
}

/** Numbers the events of a batch from `firstSeq` on. */
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

/** Zero-padded, so that the order of the keys is the order of the numbers. */
export function batchSort(firstSeq: number): string {
  return String(firstSeq).padStart(12, "0")
}

/**
 * An event as it can be stored and read by anybody: every field above 32 KB is in a blob, with a reference in its place, so that a record
 * stays small whatever its events have; and a text that was cut inside a character is well-formed.
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
