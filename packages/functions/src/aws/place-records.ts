import type { Records, StoredRecord } from "@switchyard/core/storage/records"
import * as z from "zod"

/** A runner slot. Its record remains when the slot is freed. */
const Place = z.object({
  /** Session that has the slot. Null if the slot is free. */
  sid: z.string().nullable(),
  owner: z.string(),
  /** Version of the record that gave the session the slot. */
  grant: z.int(),
  /** False until a launch uses the slot. */
  used: z.boolean(),
  /** True if a worker is about to start a task in this slot, either the first one or a later one. */
  begins: z.boolean(),
  task: z.string().nullable(),
  /** Time of the grant, the last launch or the last task. */
  at: z.number(),
  /** True if the task was asked to exit once it is idle. */
  asked: z.boolean(),
  /** True if the task can be suspended. */
  parks: z.boolean(),
})
export type Place = z.infer<typeof Place>

/** A slot as stored. */
export interface StoredPlace extends Place {
  slot: string
  version: number
}

/** A slot that a session has. */
export type HeldPlace = StoredPlace & { sid: string }

/** Partitions that runners can't write to. */
const PARTITION = "runner-slots"

/**
 * Time after which the record of a free slot may be dropped. Versions of a record start again after it was removed. So
 * a slot's record isn't removed when the slot is freed: a late change for the last session could match the version of
 * the next one.
 */
const DROPPED_AFTER_MS = 86_400_000

/** Returns the records of all slots that were ever used. */
export function readPlaces(records: Records, options: { signal: AbortSignal }): Promise<StoredPlace[]> {
  return Array.fromAsync(records.range(PARTITION, options), toPlace)
}

export async function readPlace(
  records: Records,
  slot: string,
  options: { signal: AbortSignal },
): Promise<StoredPlace | undefined> {
  const record = await records.get({ partition: PARTITION, sort: slot }, options)
  return record && toPlace(record)
}

/**
 * Stores the slot if it hasn't changed since it was read. `version` is undefined if the slot was never used. Returns the
 * new version, or undefined if the slot has changed.
 */
export function putPlace(
  records: Records,
  { slot, version }: { slot: string; version: number | undefined },
  place: Place,
  { now, ...options }: { now: number; signal: AbortSignal },
): Promise<number | undefined> {
  const condition = version === undefined ? { ifAbsent: true as const } : { ifVersion: version }
  const expiresAt = place.sid === null ? Math.ceil((now + DROPPED_AFTER_MS) / 1000) : undefined
  const key = { partition: PARTITION, sort: slot }
  return records.put(key, { value: Place.parse(place) }, { ...condition, ...(expiresAt && { expiresAt }), ...options })
}

export function freePlace(now: number): Place {
  return {
    ...{ sid: null, owner: "", grant: 0, task: null, at: now },
    ...{ used: false, begins: false, asked: false, parks: false },
  }
}

function toPlace({ key, value, version }: StoredRecord): StoredPlace {
  return { ...Place.parse(value), slot: key.sort, version }
}
