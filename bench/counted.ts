import { recordSize } from "@switchyard/core/storage/limits"
import type { PutOptions, RecordBody, RecordKey, Records } from "@switchyard/core/storage/records"

export interface Counts {
  /** Requests to DynamoDB: one per `get`, and one per megabyte that a `range` finds. */
  reads: number
  found: number
  puts: number
  /** DynamoDB's write units: one per started kilobyte, and the same again if the record is listed. */
  writeUnits: number
}

export interface CallCounter {
  around(records: Records): Records
  /** Returns the counts since the last call. */
  take(): Counts
}

const PAGE_BYTES = 1024 * 1024

export function createCallCounter(): CallCounter {
  let counts = nothing()
  return {
    take() {
      const taken = counts
      counts = nothing()
      return taken
    },
    around: (records) => ({
      ...records,
      async get(key, options) {
        const record = await records.get(key, options)
        counts.reads++
        if (record) counts.found++
        return record
      },
      async *range(partition, options) {
        let sizeBytes = 0
        counts.reads++
        for await (const record of records.range(partition, options)) {
          sizeBytes += sizeOf(record.key, record)
          counts.found++
          if (sizeBytes > PAGE_BYTES) {
            counts.reads++
            sizeBytes = 0
          }
          yield record
        }
      },
      // A put whose condition fails costs the same, so it is counted, too.
      put(key, body, options) {
        const units = Math.ceil(sizeOf(key, body, options) / 1024)
        counts.puts++
        counts.writeUnits += options?.listed ? 2 * units : units
        return records.put(key, body, options)
      },
      remove(key, options) {
        counts.writeUnits++
        return records.remove(key, options)
      },
    }),
  }
}

function sizeOf(key: RecordKey, body: RecordBody, { listed }: PutOptions = {}): number {
  return recordSize(key, JSON.stringify(body.value), body, listed)
}

function nothing(): Counts {
  return { reads: 0, found: 0, puts: 0, writeUnits: 0 }
}
