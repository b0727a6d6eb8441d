/** JSON as a record holds it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** `partition` at most 1,024 and `sort` at most 512 bytes of UTF-8, neither empty. `sort` orders by its UTF-8 bytes. */
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
  /** 1 when first put, one more with every put after that. */
  version: number
}

export interface PutOptions {
  /** Put only if no record stands at the key. */
  ifAbsent?: true
  /** Put only if the record that stands there has this version. */
  ifVersion?: number
  /** Lists the record under `listIn` of `byList`, ordered by `order`. A put without it takes the record off its list. */
  listed?: { list: string; order: string }
  /** Unix seconds. The store may drop the record at any time after that; nothing may depend on when. */
  expiresAt?: number
  signal?: AbortSignal
}

export interface RangeOptions {
  /** Inclusive. */
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
 * consistent. A call that throws anything but an `AppError` of code `storage_too_large` or `validation_error` may or may
 * not have taken effect: ask what stands there.
 */
export interface Records {
  get(key: RecordKey, options?: { signal?: AbortSignal }): Promise<StoredRecord | undefined>
  /**
   * The record's new version, or undefined if the condition did not hold and nothing was changed. Throws
   * `storage_too_large` above 400 KB (400 * 1024 bytes, measured alike by both implementations), changing nothing.
   */
  put(key: RecordKey, body: RecordBody, options?: PutOptions): Promise<number | undefined>
  /** Whether the record is gone: false only if `ifVersion` did not hold. Removing what isn't there succeeds without `ifVersion`. */
  remove(key: RecordKey, options?: { ifVersion?: number; signal?: AbortSignal }): Promise<boolean>
  /** Records of one partition in order of `sort`, any number of them, read page by page as they are consumed. No snapshot. */
  range(partition: string, options?: RangeOptions): AsyncGenerator<StoredRecord>
  /** Records put with `listed.list`, in order of `listed.order`; `from` and `to` bound the order. May lag by a moment. */
  byList(list: string, options?: RangeOptions): AsyncGenerator<StoredRecord>
}
