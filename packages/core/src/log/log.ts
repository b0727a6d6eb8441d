import { backoffMs } from "../concurrency/retry.ts"
import { AppError, isAppError } from "../errors.ts"
import type { Blobs } from "../storage/blobs.ts"
import type { RecordKey, Records } from "../storage/records.ts"
import type { Clock } from "../time.ts"
import { type Batch, batchSort, encodeBatch, externalise, type NewBatch, numberBatch } from "./batch.ts"
import { batchesAfter, coveringBatch } from "./batches.ts"
import { firstSeq, truncateLog } from "./begin.ts"
import type { BaseEvent, LogName, Stored } from "./event.ts"
import type { Wakeups } from "./notifier.ts"
import { createTail, type Tail } from "./tail.ts"

export interface LogDeps {
  records: Records
  blobs: Blobs
  clock: Clock
  wakeups?: Wakeups
  /** Retry window of an append. After that, it throws `storage_unavailable`. Unlimited by default. */
  retryForMs?: number
}

export interface AppendOptions {
  /** Prefix for blobs with fields above 32 KB. Must end with a slash. */
  artifacts: string
  signal: AbortSignal
}

/**
 * Named, append-only sequences of events, numbered from 1 without gaps. A log consists only of its batches. Each batch
 * is one record, stored at the key of its first event. A put that fails if the key exists is therefore enough to order
 * any number of writers.
 */
export interface Log {
  /**
   * Appends a batch right after `head`. The caller must have read up to `head`. Returns the stored batch, or undefined
   * if another writer's batch came first. In that case, the caller must read on and decide again. Retries the same
   * batch until its outcome is known. If `append` throws, the batch may or may not have been appended.
   */
  append<E extends BaseEvent>(
    log: LogName<E>,
    head: number,
    batch: NewBatch<E>,
    options: AppendOptions,
  ): Promise<Batch<E> | undefined>
  /**
   * Yields every event after `since`, up to the head. If `since` is 0, yields all remaining events. Throws `resync` if
   * `since` is beyond the head, or before the first stored event. The error's details contain the `seq` of that event
   * as `begin`. Set `batchEnd` to save a read if a batch is known to end at `since`.
   */
  read<E extends BaseEvent>(
    log: LogName<E>,
    since: number,
    options: { signal?: AbortSignal; batchEnd?: boolean },
  ): AsyncGenerator<Stored<E>>
  /**
   * Like `read`, but then follows new events. When the signal aborts, the generator ends normally. Yields heartbeats
   * while there are no events.
   */
  tail: Tail
  /** Returns the `seq` of the log's first remaining event. */
  begin(log: string, options: { signal?: AbortSignal }): Promise<number>
  /**
   * Removes the batches before the batch that contains `begin`. Only for logs that no process is writing to. Also
   * completes an earlier call that was interrupted.
   */
  truncate(log: string, begin: number, options: { signal?: AbortSignal }): Promise<void>
}

export function createLog({ records, blobs, clock, wakeups, retryForMs = Number.POSITIVE_INFINITY }: LogDeps): Log {
  async function append<E extends BaseEvent>(
    log: LogName<E>,
    head: number,
    batch: NewBatch<E>,
    { artifacts, signal }: AppendOptions,
  ): Promise<Batch<E> | undefined> {
    if (batch.events.length === 0) throw new AppError("validation_error", "A batch needs at least one event.")
    const store = async (sha256: string, bytes: Uint8Array) => {
      await blobs.put(`${artifacts}${sha256}`, bytes, { signal })
      return `${artifacts}${sha256}`
    }
    const frozen = { ...batch, events: await Promise.all(batch.events.map((event) => externalise(event, store))) }
    const key = { partition: log, sort: batchSort(head + 1) }
    if (!(await putBatch(key, frozen, signal))) return undefined
    wakeups?.notify(log)
    return numberBatch(frozen, head + 1)
  }

  /**
   * Stores a batch unless the key is taken. Returns true if the key now contains this batch. After a failure, reads the
   * record back, because only the reply may have been lost.
   */
  async function putBatch(key: RecordKey, batch: NewBatch, signal: AbortSignal): Promise<boolean> {
    const body = await encodeBatch(batch)
    const giveUpAt = clock.monotonic() + retryForMs
    for (let attempt = 0; ; attempt++) {
      const outcome = await unlessUnavailable(() => records.put(key, body, { ifAbsent: true, signal }), signal)
      if (outcome !== undefined && outcome !== "unavailable") return true
      const existing = await unlessUnavailable(() => records.get(key, { signal }), signal)
      if (existing !== undefined && existing !== "unavailable") return existing.value.batch_id === batch.batchId
      if (clock.monotonic() >= giveUpAt) throw new AppError("storage_unavailable", "The store isn't responding.")
      await clock.sleep(backoffMs(attempt, 50, 2000), { signal })
    }
  }

  async function* read<E extends BaseEvent>(
    log: LogName<E>,
    since: number,
    { signal, batchEnd = false }: { signal?: AbortSignal; batchEnd?: boolean },
  ): AsyncGenerator<Stored<E>> {
    let head = since
    if (since > 0 && !batchEnd) {
      const covering = await coveringBatch(records, log, since, { signal })
      for (const event of covering.events) if (event.seq > since) yield event
      head = covering.lastSeq
    }
    for await (const batch of batchesAfter({ records, clock }, log, head, { signal })) yield* batch.events
  }

  return {
    append,
    read,
    tail: createTail({ read, clock, wakeups }),
    truncate: (log, begin, options) => truncateLog(records, log, begin, options),
    begin: (log, options) => firstSeq(records, log, options),
  }
}

/**
 * Returns the result of the call, or "unavailable" if the store was unavailable. In this case, the outcome of the call
 * is unknown.
 */
async function unlessUnavailable<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T | "unavailable"> {
  try {
    return await call()
  } catch (error) {
    if (signal.aborted || !isAppError(error, "storage_unavailable")) throw error
    return "unavailable"
  }
}
