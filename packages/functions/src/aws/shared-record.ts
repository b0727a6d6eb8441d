import { backoffMs } from "@switchyard/core/concurrency/retry"
import { AppError } from "@switchyard/core/errors"
import type { Json, RecordKey, Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/time"
import type * as z from "zod"

/** A record that several functions of a stage change with conditional writes. */
export interface SharedRecord<T> {
  read(options: { signal: AbortSignal }): Promise<T>
  /**
   * Changes the record, retrying after concurrent changes, and returns the new value. `to` must be idempotent, because
   * it may run again on a value that it has already changed. If `to` returns its input, nothing is written.
   */
  change(to: (value: T) => T, options: { signal: AbortSignal }): Promise<T>
}

const ATTEMPTS = 20

export function createSharedRecord<T extends { [key: string]: Json }>(
  { records, clock }: { records: Records; clock: Pick<Clock, "sleep"> },
  { key, schema, empty }: { key: RecordKey; schema: z.ZodType<T>; empty: T },
): SharedRecord<T> {
  async function readRecord(options: { signal: AbortSignal }) {
    const record = await records.get(key, options)
    return record
      ? { value: schema.parse(record.value), version: record.version }
      : { value: empty, version: undefined }
  }

  return {
    read: async (options) => (await readRecord(options)).value,
    async change(to, options) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { value, version } = await readRecord(options)
        const next = to(value)
        if (next === value) return value
        const condition = version === undefined ? { ifAbsent: true as const } : { ifVersion: version }
        if ((await records.put(key, { value: next }, { ...condition, ...options })) !== undefined) return next
        await clock.sleep(backoffMs(attempt, 20, 1000), options)
      }
      throw new AppError("storage_unavailable", "Too many runners are being started at once. Try again shortly.")
    },
  }
}
