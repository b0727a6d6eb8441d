/** JSON as stored in a record: the result of `JSON.parse(JSON.stringify(value))`, so -0 becomes 0. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/**
 * `partition` has at most 1,024 bytes of UTF-8, and `sort` at most 512. Both are non-empty and have no lone surrogates.
 * Other keys throw `validation_error`. `sort` orders by UTF-8 bytes, which differs from JavaScript's `<` above U+FFFF.
 */
export interface RecordKey {
  partition: string
  sort: string
}

export interface RecordBody {
  value: { [key: string]: Json }
  /** Opaque bytes beside the value, for compressed content. */
  bytes?: Uint8Array
}

export interface StoredRecord extends RecordBody {
  key: RecordKey
  /**
   * 1 at the first put, and one more with each put after it. Starts at 1 again if the record was removed or expired.
   */
  version: number
}

export interface PutOptions {
  /** Put only if there is no record at the key. */
  ifAbsent?: true
  /** Put only if the record at the key has this version. */
  ifVersion?: number
  /**
   * Lists the record under `list`, sorted by `order`. Their limits are those of `partition` and `sort`. A put without
   * `listed` removes the record from its list.
   */
  listed?: { list: string; order: string }
  /** Unix seconds. The store may drop the record at any time after that, so nothing may depend on when. */
  expiresAt?: number
  signal?: AbortSignal
}

export interface RangeOptions {
  /** Inclusive, and a valid sort key, as is `to`. Crossed bounds match nothing. */
  from?: string
  /** Inclusive. */
  to?: string
  limit?: number
  /** Largest first. */
  reverse?: boolean
  signal?: AbortSignal
}

/**
 * The only database. There are two safe writes: put if absent, and put or remove if the version is unchanged. Reads are
 * consistent.
 * A call that throws `validation_error` or `storage_too_large` has changed nothing. After any other error, a put or
 * remove may have taken effect, or may do so later: read the record to find out. Retry `storage_unavailable`
 * (throttled, unreachable, busy).
 */
export interface Records {
  get(key: RecordKey, options?: { signal?: AbortSignal }): Promise<StoredRecord | undefined>
  /**
   * Returns the record's new version, or undefined if the condition did not hold. Undefined doesn't prove that another
   * writer won: after a lost reply, the call is repeated and meets its own record. A caller that needs to know must put
   * its own mark into the record and read it back. An unconditional put always succeeds, and for the same reason may
   * count as two versions.
   * Throws `storage_too_large` above 400 KB (400 * 1024 bytes of keys, JSON and `bytes`, and 128 for the rest; see
   * `recordSize`), and changes nothing.
   */
  put(key: RecordKey, body: RecordBody, options?: PutOptions): Promise<number | undefined>
  /**
   * Returns false only if `ifVersion` did not hold, as for a missing record, so false may follow our own lost reply.
   * Without `ifVersion`, removing a missing record succeeds.
   */
  remove(key: RecordKey, options?: { ifVersion?: number; signal?: AbortSignal }): Promise<boolean>
  /** Yields the records of one partition in order of `sort`, read page by page as they are consumed. Not a snapshot. */
  range(partition: string, options?: RangeOptions): AsyncGenerator<StoredRecord>
  /**
   * Yields the records put with `listed.list`, in order of `listed.order` (ties in any order), bounded by `from` and
   * `to`. May lag by a moment.
   */
  byList(list: string, options?: RangeOptions): AsyncGenerator<StoredRecord>
}
