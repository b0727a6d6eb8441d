/**
 * A key of 1 to 900 bytes of UTF-8. It has no lone surrogates, control characters, U+FFFE or U+FFFF, because S3 uses
 * XML, which can't represent these. It has no `.` or `..` segments, because browsers remove them from URLs. Other keys
 * throw `validation_error`. Keys are never used as file names, so every valid key is safe, and keys that differ in any
 * byte are different.
 */
export type BlobKey = string

export interface BlobInfo {
  key: BlobKey
  sizeBytes: number
  /** Time of the last write in Unix milliseconds. S3 only stores whole seconds. */
  modifiedAt: number
}

/** Bytes to store. Chunks aren't copied, so a source must not modify a chunk after yielding it. */
export type BlobSource = Uint8Array | AsyncIterable<Uint8Array>

/**
 * Storage for files, separate from records. The last write to a key wins. After `storage_unavailable` (throttled,
 * unreachable, disk full), a call may be retried. The call that failed may have taken effect.
 */
export interface Blobs {
  /**
   * Stores the bytes either completely or not at all. If the source throws or the signal aborts, the previous blob
   * remains. Only asks the source for a chunk when there is room for it, and always closes the source. Returns the
   * size.
   */
  put(key: BlobKey, source: BlobSource, options?: { contentType?: string; signal?: AbortSignal }): Promise<number>
  /**
   * Copies a blob of up to 5 GB to another key, either completely or not at all. Returns false if the blob doesn't
   * exist.
   */
  copy(from: BlobKey, to: BlobKey, options?: { signal?: AbortSignal }): Promise<boolean>
  /**
   * Returns the blob's bytes. Undefined if the blob doesn't exist. `range` selects a part of it: `end` is inclusive and
   * limited to the blob's size, and a range that starts after the end is empty. Callers must always start to iterate,
   * because unread bytes hold a connection. They may leave the loop early. A read sees a single version of the blob.
   */
  get(
    key: BlobKey,
    options?: { range?: { start: number; end?: number }; signal?: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array> | undefined>
  head(key: BlobKey, options?: { signal?: AbortSignal }): Promise<BlobInfo | undefined>
  /**
   * Yields all blobs whose keys start with the prefix, ordered by the UTF-8 bytes of the keys. `a/b` is also a prefix
   * of `a/bc`.
   */
  list(prefix: string, options?: { signal?: AbortSignal }): AsyncGenerator<BlobInfo>
  /**
   * Removes all blobs whose keys start with the prefix, which must not be empty. Blobs that are stored at the same time
   * may remain.
   */
  remove(prefix: string, options?: { signal?: AbortSignal }): Promise<void>
  /**
   * Returns a URL for GET requests without authentication, valid for 1 second to 7 days. The response is an attachment
   * with the sanitised file name. Its content type defaults to the content type given to `put`. Doesn't check if the
   * blob exists: if it doesn't, fetching the URL fails.
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
