import type { Records, StoredRecord } from "../storage/records.ts"
import { batchSort } from "./batch.ts"

/**
 * Sort key of the record that contains the number of a log's first event. It sorts before every batch, so a read from
 * the start finds this record first.
 */
export const BEGIN = "!begin"

/** Returns the `seq` of a log's first remaining event. */
export async function firstSeq(records: Records, log: string, options: { signal?: AbortSignal }): Promise<number> {
  const record = await records.get({ partition: log, sort: BEGIN }, options)
  return record ? beginOf(record) : 1
}

/** Removes batches as specified by `Log.truncate`. */
export async function truncateLog(
  records: Records,
  log: string,
  begin: number,
  options: { signal?: AbortSignal },
): Promise<void> {
  const beginKey = { partition: log, sort: BEGIN }
  const record = await records.get(beginKey, options)
  const current = record ? beginOf(record) : 1
  const first = Math.max(current, await batchBegin(records, log, begin, options))
  if (first > current) {
    // A concurrent call must not move the beginning back, because the batches before it may already have been removed.
    const unlessMoved = record ? { ifVersion: record.version } : { ifAbsent: true as const }
    const moved = await records.put(beginKey, { value: { first_seq: first } }, { ...unlessMoved, ...options })
    if (moved === undefined) return truncateLog(records, log, begin, options)
  }
  for await (const { key } of records.range(log, { to: batchSort(first - 1), ...options })) {
    if (key.sort !== BEGIN) await records.remove(key, options)
  }
}

export function beginOf(record: StoredRecord): number {
  return Number(record.value.first_seq)
}

async function batchBegin(
  records: Records,
  log: string,
  seq: number,
  options: { signal?: AbortSignal },
): Promise<number> {
  for await (const { key } of records.range(log, { to: batchSort(seq), limit: 1, reverse: true, ...options })) {
    if (key.sort !== BEGIN) return Number(key.sort)
  }
  return 1
}
