/** JSON as a record holds it: what `JSON.parse(JSON.stringify(value))` gives, so -0 becomes 0. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/**
 * `partition` at most 1,024 and `sort` at most 512 bytes of UTF-8, neither empty, no lone surrogates: anything else is a
 * `validation_error`. `sort` orders by its UTF-8 bytes, which is not the order of JavaScript's `<` above U+FFFF.
 */
export interface RecordKey {
  partition: string
  sort: string
}

export interface RecordBody {
  value: { [key: string]: Json }
  /** Opaque bytes beside the value, for what is stored compressed. */
  bytes?: Uint8Array
}

export interface StoredRecord extends RecordBody {
  key: RecordKey
  /** 1 when first put, one more with every put after that; 1 again if it was removed or has expired in between. */
  version: number
}

export interface PutOptions {
  /** Put only if no record stands at the key. */
  ifAbsent?: true
  /** Put only if the record that stands there has this version. */
  ifVersion?: number
  /**
   * Lists the record under `list`, ordered by `order` (bytes as of a `partition` and a `sort`). A put without it takes
   * the record off its list.
   */
  listed?: { list: string; order: string }
  /** Unix seconds. The store may drop the record at any time after that; nothing may depend on when. */
  expiresAt?: number
  signal?: AbortSignal
}

export interface RangeOptions {
  /** Inclusive, and a valid sort key, as `to` is. Nothing lies between bounds that cross. */
  from?: string
  /** Inclusive. */
  to?: string
  limit?: number
  /** Largest first. */
  reverse?: boolean
  signal?: AbortSignal
}

/**
 * The only database. Two ways to be safe and no others: put if absent, put (or remove) if still of a version. Reads are
 * consistent.
 *
 * A call that throws `validation_error` or `storage_too_large` has changed nothing. After any other error, of which
 * `storage_unavailable` (throttled, unreachable, busy) is the one to try again, a put or a remove may or may not have
 * taken effect, and may even do so later: ask what stands there.
 */
export interface Records {
  get(key: RecordKey, options?: { signal?: AbortSignal }): Promise<StoredRecord | undefined>
  /**
   * The record's new version, or undefined if the condition did not hold. Undefined is not proof that another writer
   * won: a reply that was lost on the way is asked for again, and then our own record is what stands in the way. A
   * caller to whom that matters puts a mark of its own into the record and looks. Without a condition a put always
   * succeeds, and for the same reason may count as two versions.
   *
   * Throws `storage_too_large` above 400 KB (400 * 1024 bytes of keys, JSON and `bytes`, and 128 for the rest; see
   * `recordSize`), changing nothing.
   */
  put(key: RecordKey, body: RecordBody, options?: PutOptions): Promise<number | undefined>
  /**
   * Whether the record is gone: false only if `ifVersion` did not hold, as it never does where nothing stands (so false
   * may also follow our own lost reply). Removing what isn't there succeeds without `ifVersion`.
   */
  remove(key: RecordKey, options?: { ifVersion?: number; signal?: AbortSignal }): Promise<boolean>
  /** Records of one partition in order of `sort`, any number of them, read page by page as they are consumed. No snapshot. */
  range(partition: string, options?: RangeOptions): AsyncGenerator<StoredRecord>
  /**
   * Records put with `listed.list`, in order of `listed.order` (ties in any order); `from` and `to` bound the order. May
   * lag by a moment.
   */
  byList(list: string, options?: RangeOptions): AsyncGenerator<StoredRecord>
}
