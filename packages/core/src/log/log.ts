import { backoffMs } from "../concurrency/retry.ts"
import { AppError, isAppError } from "../errors.ts"
import type { Blobs } from "../storage/blobs.ts"
import type { RecordKey, Records, StoredRecord } from "../storage/records.ts"
import type { Clock } from "../time.ts"
import { type Batch, batchSort, decodeBatch, encodeBatch, externalise, type NewBatch, numberBatch } from "./batch.ts"
import type { BaseEvent, LogName, Stored } from "./event.ts"
import type { Wakeups } from "./notifier.ts"
import { createTail, type Tail } from "./tail.ts"

export interface LogDeps {
  records: Records
  blobs: Blobs
  clock: Clock
  wakeups?: Wakeups
  /** How long to retry an append before throwing `storage_unavailable`. Unlimited by default. */
  retryForMs?: number
}

export interface AppendOptions {
  /** Blob prefix for fields above 32 KB. Must end with a slash. */
  artifacts: string
  signal: AbortSignal
}

/**
 * Named, append-only sequences of events, numbered from 1 without gaps. A log consists only of its batches, each stored
 * as one record at the key of its first event. So the store's put-if-absent is enough to order any number of writers.
 */
export interface Log {
  /**
   * Appends a batch right after `head`, up to which the caller must have read. Returns the stored batch, or undefined
   * if another writer's batch came first: read on and decide again. Retries the same batch until its outcome is known.
   * If it throws, the batch may or may not have been appended.
   */
  append<E extends BaseEvent>(
    log: LogName<E>,
    head: number,
    batch: NewBatch<E>,
    options: AppendOptions,
  ): Promise<Batch<E> | undefined>
  /**
   * Yields every event after `since`, up to the head; 0 yields everything that still exists. Throws `resync` if `since`
   * is beyond the head or before the first stored event, whose `seq` is `begin` in the details. Set `batchEnd` if a
   * batch is known to end at `since`, which saves a lookup.
   */
  read<E extends BaseEvent>(
    log: LogName<E>,
    since: number,
    options: { signal?: AbortSignal; batchEnd?: boolean },
  ): AsyncGenerator<Stored<E>>
  /**
   * Like `read`, but then follows new events until the signal aborts, which ends the generator normally. Yields
   * heartbeats during silence.
   */
  tail: Tail
  /** Returns the first `seq` that still exists. */
  begin(log: string, options: { signal?: AbortSignal }): Promise<number>
  /**
   * Removes the batches before the one that contains `begin`. Only for logs without live writers. Also completes an
   * earlier call that was interrupted.
   */
  truncate(log: string, begin: number, options: { signal?: AbortSignal }): Promise<void>
}

// Sorts before every batch, so a read from the start encounters it first.
const BEGIN = "!begin"

const MAX_GAPS = 8

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

  /** Returns true if this batch is stored at the key. Reads it back, in case only the reply was lost. */
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
      const covering = await coveringBatch(log, since, signal)
      for (const event of covering.events) if (event.seq > since) yield event
      head = covering.lastSeq
    }
    for await (const batch of batchesAfter(log, head, signal)) yield* batch.events
  }

  /**
   * Returns the batch that contains `since + 1`, or otherwise the batch that ends at `since`. Throws `resync` if
   * `since` is outside of the log.
   */
  async function coveringBatch<E extends BaseEvent>(
    log: LogName<E>,
    since: number,
    signal?: AbortSignal,
  ): Promise<Batch<E>> {
    if (since + 1 < (await firstSeq(log, signal))) throw await resyncError(log, since, signal)
    const upTo = { to: batchSort(since + 1), limit: 1, reverse: true, signal }
    for await (const record of records.range(log, upTo)) {
      const batch = record.key.sort === BEGIN ? undefined : await decodeBatch<E>(record)
      if (batch && batch.lastSeq >= since) return batch
    }
    throw await resyncError(log, since, signal)
  }

  async function resyncError(log: string, since: number, signal?: AbortSignal): Promise<AppError> {
    const begin = await firstSeq(log, signal)
    return new AppError("resync", "The cursor is outside of this log. Start again from the beginning.", {
      since,
      begin,
    })
  }

  async function firstSeq(log: string, signal?: AbortSignal): Promise<number> {
    const record = await records.get({ partition: log, sort: BEGIN }, { signal })
    return record ? beginOf(record) : 1
  }

  /**
   * Reads batches, rereading if there is a gap. A range isn't a snapshot, so it may return a batch but miss an earlier
   * one. Writers read the earlier batch before appending, so a gap that persists means that the log is damaged.
   */
  async function* batchesAfter<E extends BaseEvent>(
    log: LogName<E>,
    since: number,
    signal?: AbortSignal,
  ): AsyncGenerator<Batch<E>> {
    let head = since
    let started = since > 0
    for (let gaps = 0; gaps < MAX_GAPS; gaps++) {
      let gap = false
      for await (const record of records.range(log, { from: head === 0 ? undefined : batchSort(head + 1), signal })) {
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
      if ((await firstSeq(log, signal)) > head + 1) {
        if (started) throw await resyncError(log, head, signal)
        head = 0
      }
      if (gaps > 0) await clock.sleep(backoffMs(gaps, 25, 1000), { signal })
    }
    throw new AppError("internal_error", "Part of the log is missing.", { after: head })
  }

  async function truncate(log: string, begin: number, options: { signal?: AbortSignal }): Promise<void> {
    const beginKey = { partition: log, sort: BEGIN }
    const record = await records.get(beginKey, options)
    const current = record ? beginOf(record) : 1
    const first = Math.max(current, await batchBegin(log, begin, options))
    if (first > current) {
      // A concurrent call must not move the beginning back, because the batches before it may already be gone.
      const unlessMoved = record ? { ifVersion: record.version } : { ifAbsent: true as const }
      const moved = await records.put(beginKey, { value: { first_seq: first } }, { ...unlessMoved, ...options })
      if (moved === undefined) return truncate(log, begin, options)
    }
    for await (const { key } of records.range(log, { to: batchSort(first - 1), ...options })) {
      if (key.sort !== BEGIN) await records.remove(key, options)
    }
  }

  async function batchBegin(log: string, seq: number, options: { signal?: AbortSignal }): Promise<number> {
    for await (const { key } of records.range(log, { to: batchSort(seq), limit: 1, reverse: true, ...options })) {
      if (key.sort !== BEGIN) return Number(key.sort)
    }
    return 1
  }

  const tail = createTail({ read, clock, wakeups })
  return { append, read, tail, truncate, begin: (log, { signal }) => firstSeq(log, signal) }
}

function beginOf(record: StoredRecord): number {
  return Number(record.value.first_seq)
}

/** Returns "unavailable" if the store was unavailable, in which case the outcome is unknown. */
async function unlessUnavailable<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T | "unavailable"> {
  try {
    return await call()
  } catch (error) {
    if (signal.aborted || !isAppError(error, "storage_unavailable")) throw error
    return "unavailable"
  }
}
