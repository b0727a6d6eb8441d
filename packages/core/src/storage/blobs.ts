/**
 * A key of 1 to 900 bytes of UTF-8. It has no lone surrogates, control characters, U+FFFE or U+FFFF, because S3
 * responds in XML. It has no `.` or `..` segments, because browsers remove those from URLs. Other keys throw
 * `validation_error`. Keys are never used as file names, so every valid key is safe, and distinct down to the byte.
 */
export type BlobKey = string

export interface BlobInfo {
  key: BlobKey
  sizeBytes: number
  /** Unix milliseconds. S3 only stores whole seconds. */
  modifiedAt: number
}

/** Bytes to store. Chunks aren't copied, so a source must not modify a chunk that it has yielded. */
export type BlobSource = Uint8Array | AsyncIterable<Uint8Array>

/**
 * Storage for files, separate from records. The last write to a key wins. After `storage_unavailable` (throttled,
 * unreachable, disk full), calls may be retried. The failed call may have taken effect.
 */
export interface Blobs {
  /**
   * Stores the bytes completely or not at all. If the source throws or the signal aborts, the previous blob remains.
   * Only pulls a chunk when there is room for it, and always closes the source. Returns the size.
   */
  put(key: BlobKey, source: BlobSource, options?: { contentType?: string; signal?: AbortSignal }): Promise<number>
  /**
   * Returns the blob's bytes, or undefined if it doesn't exist. `range` selects a part: `end` is inclusive and limited
   * to the blob's size, and a range beyond the end is empty. Always start iterating, because unread bytes hold a
   * connection; leaving the loop early is fine. A read sees a single version of the blob.
   */
  get(
    key: BlobKey,
    options?: { range?: { start: number; end?: number }; signal?: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array> | undefined>
  head(key: BlobKey, options?: { signal?: AbortSignal }): Promise<BlobInfo | undefined>
  /**
   * Yields all blobs with keys that start with the prefix, ordered by the keys' UTF-8 bytes. `a/b` is also a prefix of
   * `a/bc`.
   */
  list(prefix: string, options?: { signal?: AbortSignal }): AsyncGenerator<BlobInfo>
  /**
   * Removes all blobs with keys that start with the prefix, which must not be empty. Blobs stored concurrently may
   * remain.
   */
  remove(prefix: string, options?: { signal?: AbortSignal }): Promise<void>
  /**
   * Returns a URL for anonymous GET requests, valid for 1 second to 7 days. The response is an attachment with the
   * sanitised file name. Its content type is the one given here, or else the one given to `put`. A missing blob is only
   * noticed when the URL is fetched.
   */
  signedUrl(
    key: BlobKey,
    options: { expiresInSeconds: number; filename: string; contentType?: string },
  ): Promise<string>
}

/** Reads a small blob into memory. */
export async function readAll(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks)
}
