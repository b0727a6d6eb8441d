import { AppError } from "@switchyard/core/errors"
import type { RecordKey, Records, StoredRecord } from "@switchyard/core/storage/records"
import type { Process, Scheduler } from "./scheduler.ts"

/** Probabilities of failures, for each call. */
export interface Faults {
  /** Applied, but reported as failed. */
  lost: number
  /** Not applied, and reported as failed. */
  dropped: number
  /** Reported as failed, and applied later. */
  late: number
  /** Delayed for long. */
  stalled: number
}

const PAGE = 3

/**
 * Creates records that promise only what the port promises. A single key is consistent, and a range is no snapshot. A
 * failed call may have taken effect, or may still do so. Each caller has its own connection.
 */
export function createSimulatedRecords(scheduler: Scheduler, faults: Faults) {
  const partitions = new Map<string, Map<string, StoredRecord>>()
  const recordsIn = (partition: string) => {
    const records = partitions.get(partition) ?? new Map<string, StoredRecord>()
    partitions.set(partition, records)
    return records
  }

  function connect(process: Process): Records {
    const unavailable = () => new AppError("storage_unavailable", "Nothing was heard of the call.")
    const travel = (signal?: AbortSignal, abandoned?: () => void) => {
      const delay = scheduler.chance(faults.stalled) ? Math.floor(scheduler.random() * 150) : 0
      return scheduler.turn(process, { signal, delay, abandoned })
    }

    async function read<T>(look: () => T, signal?: AbortSignal): Promise<T> {
      await travel(signal)
      if (scheduler.chance(faults.dropped)) throw unavailable()
      return look()
    }

    async function write<T>(apply: () => T, signal?: AbortSignal): Promise<T> {
      await travel(signal, () => scheduler.chance(0.5) && scheduler.later(apply))
      if (scheduler.chance(faults.dropped)) throw unavailable()
      if (scheduler.chance(faults.late)) {
        scheduler.later(apply)
        throw unavailable()
      }
      const result = apply()
      await travel(signal)
      if (scheduler.chance(faults.lost)) throw unavailable()
      return result
    }

    return {
      get: ({ partition, sort }, options) => read(() => recordsIn(partition).get(sort), options?.signal),
      put(key, body, { ifAbsent, ifVersion, signal } = {}) {
        const stored = structuredClone({ value: body.value, bytes: body.bytes })
        return write(() => {
          const version = versionOf(recordsIn(key.partition).get(key.sort))
          if ((ifAbsent && version > 0) || (ifVersion !== undefined && version !== ifVersion)) return undefined
          recordsIn(key.partition).set(key.sort, { key, ...stored, version: version + 1 })
          return version + 1
        }, signal)
      },
      remove: (key: RecordKey, { ifVersion, signal } = {}) =>
        write(() => {
          if (ifVersion !== undefined && versionOf(recordsIn(key.partition).get(key.sort)) !== ifVersion) return false
          recordsIn(key.partition).delete(key.sort)
          return true
        }, signal),
      async *range(partition, { from = "", to = "\uffff", limit = Number.POSITIVE_INFINITY, reverse, signal } = {}) {
        const inOrder = () => {
          const sorts = [...recordsIn(partition).keys()].filter((sort) => sort >= from && sort <= to).sort()
          return reverse ? sorts.reverse() : sorts
        }
        let last: string | undefined
        for (let left = limit; left > 0; ) {
          const ahead = () => inOrder().filter((sort) => last === undefined || (reverse ? sort < last : sort > last))
          const before = await read(() => new Set(ahead()), signal)
          // Each record is read at a different moment, so records written in between may or may not appear.
          const seen = await read(() => ahead().filter((sort) => before.has(sort) || scheduler.chance(0.5)), signal)
          const page = seen.slice(0, Math.min(PAGE, left))
          for (const sort of page) {
            const record = recordsIn(partition).get(sort)
            if (record) yield record
          }
          if (page.length < PAGE) return
          left -= page.length
          last = page.at(-1)
        }
      },
      // biome-ignore lint/correctness/useYield: nothing that is simulated has lists
      async *byList() {
        throw new Error("There are no lists here.")
      },
    }
  }

  return {
    connect,
    /** All records of a partition in order, at this moment. */
    all: (partition: string) => [...recordsIn(partition).values()].sort((a, b) => (a.key.sort < b.key.sort ? -1 : 1)),
  }
}

function versionOf(record: StoredRecord | undefined): number {
  return record?.version ?? 0
}

/** Wraps snapshots so that they go missing or are outdated. Their readers must not depend on them. */
export function withUnreliableSnapshots(records: Records, scheduler: Scheduler, history: StoredRecord[]): Records {
  const isSnapshot = (key: RecordKey) => key.partition.endsWith("/snapshot")
  return {
    ...records,
    async get(key, options) {
      const record = await records.get(key, options)
      if (!isSnapshot(key)) return record
      if (record) history.push(record)
      if (scheduler.chance(0.2)) return undefined
      return scheduler.chance(0.4) ? history[Math.floor(scheduler.random() * history.length)] : record
    },
  }
}
