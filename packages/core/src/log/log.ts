import { AppError, isAppError } from "../errors.ts"
import { backoffMs } from "../retry.ts"
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
  /** The time for which an append retries a store that can't answer before it throws `storage_unavailable`; without it, for ever. */
  retryForMs?: number
}

export interface AppendOptions {
  /** The blob prefix for fields above 32 KB; it ends with a slash. */
  artifacts: string
  signal: AbortSignal
}

/**
 * Named, append-only sequences of events, numbered from 1 without a gap. A log is nothing but its batches, each one
 * record at the key of its first event, so the store's one promise, put only if absent, is enough to order any number
 * of writers.
 */
export interface Log {
  /**
   * Appends a batch right after `head`, which the caller must have read up to. Resolves to the batch in its place, or to
   * undefined if another writer's batch is there: read on, and decide again. Retries the same batch until its outcome is
   * known. When it throws, the batch may or may not have been appended.
   */
  append<E extends BaseEvent>(
    log: LogName<E>,
    head: number,
    batch: NewBatch<E>,
    options: AppendOptions,
  ): Promise<Batch<E> | undefined>
  /**
   * Every event after `since`, to the head; from 0, everything that is kept. Throws `resync` when `since` lies beyond the
   * head or before what is kept, with `begin` in the details: the first `seq` that there is. A caller who knows that a
   * batch ended at `since` says so with `batchEnd`, which spares looking for it.
   */
  read<E extends BaseEvent>(
    log: LogName<E>,
    since: number,
    options: { signal?: AbortSignal; batchEnd?: boolean },
  ): AsyncGenerator<Stored<E>>
  /** As `read`, then what comes, until the signal aborts: it ends by itself then. Heartbeats fill silences. */
  tail: Tail
  /** The first `seq` that is kept. */
  begin(log: string, options: { signal?: AbortSignal }): Promise<number>
  /**
   * Forgets what lies before the batch that holds `begin`. Only for a log whose writers are known to be gone. Finishes what
   * an earlier call left unfinished.
   */
  truncate(log: string, begin: number, options: { signal?: AbortSignal }): Promise<void>
}

// Sorts before every batch, so that a read from the start meets it first.
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

  /** Whether the batch is stored at the key. A lost reply is not a lost race, so the stored batch is read. */
  async function putBatch(key: RecordKey, batch: NewBatch, signal: AbortSignal): Promise<boolean> {
    const body = await encodeBatch(batch)
    const giveUpAt = clock.monotonic() + retryForMs
    for (let attempt = 0; ; attempt++) {
      const outcome = await unlessUnavailable(() => records.put(key, body, { ifAbsent: true, signal }), signal)
      if (outcome !== undefined && outcome !== "unavailable") return true
      const existing = await unlessUnavailable(() => records.get(key, { signal }), signal)
      if (existing !== undefined && existing !== "unavailable") return existing.value.batch_id === batch.batchId
      if (clock.monotonic() >= giveUpAt) throw new AppError("storage_unavailable", "The store is not responding.")
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

  /** The batch that contains `since + 1`, or the one that ends at `since`. Throws `resync` outside of the log. */
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
   * A range is no snapshot: it can have a later batch and miss an earlier one, so a gap is read again.
   * The writer of the later one had read the earlier one, so a gap that stays is damage.
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
    throw new AppError("internal_error", "A part of the log is missing.", { after: head })
  }

  async function truncate(log: string, begin: number, options: { signal?: AbortSignal }): Promise<void> {
    const beginKey = { partition: log, sort: BEGIN }
    const record = await records.get(beginKey, options)
    const current = record ? beginOf(record) : 1
    const first = Math.max(current, await batchBegin(log, begin, options))
    if (first > current) {
      // Concurrent calls must not move the beginning back: the batches before it may be gone already.
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

/** An unavailable store leaves the outcome of a call unknown; everything else is an outcome. */
async function unlessUnavailable<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T | "unavailable"> {
  try {
    return await call()
  } catch (error) {
    if (signal.aborted || !isAppError(error, "storage_unavailable")) throw error
    return "unavailable"
  }
}
