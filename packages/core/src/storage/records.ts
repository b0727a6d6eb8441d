/** JSON as stored in a record: the result of `JSON.parse(JSON.stringify(value))`, so -0 becomes 0. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/**
 * `partition` has at most 1,024 bytes of UTF-8, and `sort` at most 512. Neither is empty or has lone surrogates. Other
 * keys throw `validation_error`. `sort` is ordered by UTF-8 bytes, which differs from JavaScript's `<` above U+FFFF.
 */
export interface RecordKey {
  partition: string
  sort: string
}

export interface RecordBody {
  value: { [key: string]: Json }
  /** Opaque bytes in addition to the value, for compressed content. */
  bytes?: Uint8Array
}

export interface StoredRecord extends RecordBody {
  key: RecordKey
  /**
   * 1 after the first put. Each further put increments it. Starts again at 1 if the record was removed or has expired.
   */
  version: number
}

export interface PutOptions {
  /** Stores the record only if there is none at the key. */
  ifAbsent?: true
  /** Stores the record only if the existing one has this version. */
  ifVersion?: number
  /**
   * Lists the record under `list`, sorted by `order`. `list` has the same limits as `partition`, and `order` the same
   * as `sort`. A put without `listed` removes the record from its list.
   */
  listed?: { list: string; order: string }
  /** Unix seconds. The store may drop the record at any time after this, so don't rely on an exact time. */
  expiresAt?: number
  signal?: AbortSignal
}

export interface RangeOptions {
  /** Inclusive. Must be a valid sort key, and so must `to`. If `from` is greater than `to`, nothing matches. */
  from?: string
  /** Inclusive. */
  to?: string
  limit?: number
  /** Largest first. */
  reverse?: boolean
  signal?: AbortSignal
}

/**
 * The only database. Conditional writes are a put if the key is absent, and a put or remove if the version is
 * unchanged. Reads are consistent. If a call throws `validation_error` or `storage_too_large`, it hasn't changed
 * anything. After any other error, a put or remove may have taken effect, or may still do so: read the record to find
 * out. Retry on `storage_unavailable` (throttled, unreachable, busy).
 */
export interface Records {
  get(key: RecordKey, options?: { signal?: AbortSignal }): Promise<StoredRecord | undefined>
  /**
   * Returns the record's new version, or undefined if the condition failed. Undefined doesn't prove that another writer
   * won: if a reply is lost, the call is retried and finds its own record. Callers that need to know this must put a
   * mark of their own into the record and read it back. An unconditional put always succeeds, and may increment the
   * version twice for the same reason. Throws `storage_too_large` above 400 * 1024 bytes of keys, JSON, `bytes` and 128
   * bytes of overhead (`recordSize`), without changing anything.
   */
  put(key: RecordKey, body: RecordBody, options?: PutOptions): Promise<number | undefined>
  /**
   * Returns false only if the `ifVersion` condition failed. A missing record counts as a failed condition, so false may
   * also follow a lost reply to this call. Without `ifVersion`, removing a missing record succeeds.
   */
  remove(key: RecordKey, options?: { ifVersion?: number; signal?: AbortSignal }): Promise<boolean>
  /** Yields a partition's records, ordered by `sort`. Reads a page at a time, on demand. Not a snapshot. */
  range(partition: string, options?: RangeOptions): AsyncGenerator<StoredRecord>
  /**
   * Yields the records with this `listed.list`, ordered by `listed.order` (ties in any order) and limited by `from` and
   * `to`. Eventually consistent.
   */
  byList(list: string, options?: RangeOptions): AsyncGenerator<StoredRecord>
}
