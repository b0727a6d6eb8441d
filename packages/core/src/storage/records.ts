/** JSON as stored in a record. It equals `JSON.parse(JSON.stringify(value))`, so -0 becomes 0. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/**
 * Key of a record. `partition` has at most 1,024 bytes of UTF-8, and `sort` has at most 512. Neither is empty or has
 * lone surrogates. Other keys throw `validation_error`. `sort` is ordered by UTF-8 bytes, which differs from
 * JavaScript's `<` above U+FFFF.
 */
export interface RecordKey {
  partition: string
  sort: string
}

export interface RecordBody {
  value: { [key: string]: Json }
  /** Opaque bytes in addition to the value, used for compressed content. */
  bytes?: Uint8Array
}

export interface StoredRecord extends RecordBody {
  key: RecordKey
  /**
   * Version of the record, 1 after the first put. Each further put increments it. It starts again at 1 after the record
   * was removed or has expired.
   */
  version: number
}

export interface PutOptions {
  /** Stores the record only if there is no record with this key. */
  ifAbsent?: true
  /** Stores the record only if the existing record has this version. */
  ifVersion?: number
  /**
   * Lists the record under `list`, sorted by `order`. `list` has the same limits as `partition`, and `order` has the
   * same limits as `sort`. A put without `listed` removes the record from its list.
   */
  listed?: { list: string; order: string }
  /** Time in Unix seconds after which the store may drop the record. Don't rely on an exact time. */
  expiresAt?: number
  signal?: AbortSignal
}

export interface RangeOptions {
  /**
   * Smallest sort key, inclusive. `from` and `to` must be valid sort keys. If `from` is greater than `to`, nothing
   * matches.
   */
  from?: string
  /** Largest sort key, inclusive. */
  to?: string
  limit?: number
  /** True to start with the largest key. */
  reverse?: boolean
  signal?: AbortSignal
}

/**
 * Store of records, the only database. A put can require that the key doesn't exist, and a put or remove can require
 * that the version hasn't changed. All reads except `byList` are consistent. If a call throws `validation_error` or
 * `storage_too_large`, it hasn't changed anything. After any other error, a put or remove may have taken effect, or may
 * still do so: read the record to find out. Retry after `storage_unavailable` (throttled, unreachable, busy).
 */
export interface Records {
  get(key: RecordKey, options?: { signal?: AbortSignal }): Promise<StoredRecord | undefined>
  /**
   * Returns the record's new version. Undefined if the condition failed. A failed condition doesn't prove that another
   * writer won: if a reply is lost, the call is retried and finds its own record. Callers that need to know must put
   * their own mark into the record and read it back. An unconditional put always succeeds, and may increment the
   * version twice if a reply is lost. Throws `storage_too_large`, without changing anything, if keys, JSON, `bytes` and
   * 128 bytes of overhead exceed 400 * 1024 bytes (see `recordSize`).
   */
  put(key: RecordKey, body: RecordBody, options?: PutOptions): Promise<number | undefined>
  /**
   * Returns false only if the `ifVersion` condition failed. A missing record counts as a failed condition, so false may
   * also mean that this call removed the record and its first reply was lost. Without `ifVersion`, removing a missing
   * record succeeds.
   */
  remove(key: RecordKey, options?: { ifVersion?: number; signal?: AbortSignal }): Promise<boolean>
  /** Yields the records of a partition, ordered by `sort`. Reads one page at a time, on demand. Not a snapshot. */
  range(partition: string, options?: RangeOptions): AsyncGenerator<StoredRecord>
  /**
   * Yields the records with this `listed.list`, limited by `from` and `to`, and ordered by `listed.order`. Records with
   * the same `listed.order` come in any order. Eventually consistent.
   */
  byList(list: string, options?: RangeOptions): AsyncGenerator<StoredRecord>
}
