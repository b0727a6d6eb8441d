/**
 * 1 to 900 bytes of UTF-8, without lone surrogates, control characters, U+FFFE and U+FFFF (S3's answers are XML) and
 * without a `.` or `..` between its slashes (browsers take those out of URLs): anything else is a `validation_error`.
 * Every allowed key is safe, and differs from others to the byte: a key never becomes a file name.
 */
export type BlobKey = string

export interface BlobInfo {
  key: BlobKey
  sizeBytes: number
  /** Unix milliseconds; S3 knows only the second. */
  modifiedAt: number
}

/** Chunks are taken over: a source must not write into one again after it was handed out. */
export type BlobSource = Uint8Array | AsyncIterable<Uint8Array>

/**
 * Files beside the records. Whoever writes a key last wins. `storage_unavailable` (throttled, unreachable, disk full) is
 * the error to try again; what threw it may have taken effect.
 */
export interface Blobs {
  /**
   * Stores the bytes whole or not at all: a source that throws, or an abort, leaves what stood at the key. The source is
   * asked for a chunk only when there is room for it, and is closed in the end. Resolves to the size.
   */
  put(key: BlobKey, source: BlobSource, options?: { contentType?: string; signal?: AbortSignal }): Promise<number>
  /**
   * The bytes, or of a range (`end` inclusive, cut to the blob; beyond its end there is nothing), or undefined if there
   * is no such blob. Leaving the loop early is fine, but enter it: what isn't read holds a connection. One read sees one
   * version of the blob to its end.
   */
  get(
    key: BlobKey,
    options?: { range?: { start: number; end?: number }; signal?: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array> | undefined>
  head(key: BlobKey, options?: { signal?: AbortSignal }): Promise<BlobInfo | undefined>
  /** Every blob whose key begins with the prefix, in order of the key's UTF-8 bytes. `a/b` is a prefix of `a/bc` too. */
  list(prefix: string, options?: { signal?: AbortSignal }): AsyncGenerator<BlobInfo>
  /** Removes every blob whose key begins with the prefix, which isn't empty; what is put meanwhile may stay. */
  remove(prefix: string, options?: { signal?: AbortSignal }): Promise<void>
  /**
   * A URL that anyone may GET for 1 second to 7 days; the answer carries the file name, made safe, as an attachment, and
   * the content type given here or with the put. Whether there is such a blob shows when it is fetched.
   */
  signedUrl(
    key: BlobKey,
    options: { expiresInSeconds: number; filename: string; contentType?: string },
  ): Promise<string>
}

/** All bytes of a small blob. */
export async function readAll(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks)
}
