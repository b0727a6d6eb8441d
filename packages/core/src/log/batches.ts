import { backoffMs } from "../concurrency/retry.ts"
import { AppError } from "../errors.ts"
import type { Records } from "../storage/records.ts"
import type { Clock } from "../time.ts"
import { type Batch, batchSort, decodeBatch } from "./batch.ts"
import { BEGIN, beginOf, firstSeq } from "./begin.ts"
import type { BaseEvent, LogName } from "./event.ts"

const MAX_GAPS = 8

/**
 * Returns the batch that contains `since + 1`. If there is none, returns the batch that ends at `since`. Throws
 * `resync` if the log contains neither batch.
 */
export async function coveringBatch<E extends BaseEvent>(
  records: Records,
  log: LogName<E>,
  since: number,
  options: { signal?: AbortSignal },
): Promise<Batch<E>> {
  if (since + 1 < (await firstSeq(records, log, options))) throw await resyncError(records, log, since, options)
  const upTo = { to: batchSort(since + 1), limit: 1, reverse: true, ...options }
  for await (const record of records.range(log, upTo)) {
    const batch = record.key.sort === BEGIN ? undefined : await decodeBatch<E>(record)
    if (batch && batch.lastSeq >= since) return batch
  }
  throw await resyncError(records, log, since, options)
}

/**
 * Yields batches, and reads again if there is a gap. A range isn't a snapshot, so it may return a batch but miss an
 * earlier one. Writers read the earlier batch before they append, so a gap that persists means that the log is damaged.
 */
export async function* batchesAfter<E extends BaseEvent>(
  { records, clock }: { records: Records; clock: Clock },
  log: LogName<E>,
  since: number,
  options: { signal?: AbortSignal },
): AsyncGenerator<Batch<E>> {
  let head = since
  let started = since > 0
  for (let gaps = 0; gaps < MAX_GAPS; gaps++) {
    let gap = false
    for await (const record of records.range(log, { from: head === 0 ? undefined : batchSort(head + 1), ...options })) {
      if (record.key.sort === BEGIN) {
        head = beginOf(record) - 1
        continue
      }
      if (Number(record.key.sort) <= head) continue
      if (Number(record.key.sort) !== head + 1) {
        gap = true
        break
      }
      const batch = await decodeBatch<E>(record)
      head = batch.lastSeq
      started = true
      gaps = 0
      yield batch
    }
    if (!gap) return
    if ((await firstSeq(records, log, options)) > head + 1) {
      if (started) throw await resyncError(records, log, head, options)
      head = 0
    }
    if (gaps > 0) await clock.sleep(backoffMs(gaps, 25, 1000), options)
  }
  throw new AppError("internal_error", "Part of the log is missing.", { after: head })
}

async function resyncError(
  records: Records,
  log: string,
  since: number,
  options: { signal?: AbortSignal },
): Promise<AppError> {
  const begin = await firstSeq(records, log, options)
  return new AppError("resync", "The cursor is outside of this log. Start again from the beginning.", {
    since,
    begin,
  })
}
