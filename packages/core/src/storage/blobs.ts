/**
 * Key of 1 to 900 bytes of UTF-8. It has no lone surrogates, control characters, U+FFFE or U+FFFF, because S3 answers
 * in XML. It has no `.` or `..` between slashes, because browsers remove those from URLs. Other keys throw
 * `validation_error`. Every allowed key is safe and distinct to the byte, because a key never becomes a file name.
 */
export type BlobKey = string

export interface BlobInfo {
  key: BlobKey
  sizeBytes: number
  /** Unix milliseconds. S3 only has seconds. */
  modifiedAt: number
}

/** Chunks are not copied: a source must not write to a chunk that it has handed out. */
export type BlobSource = Uint8Array | AsyncIterable<Uint8Array>

/**
 * Files beside the records. The last write to a key wins. `storage_unavailable` (throttled, unreachable, disk full) can
 * be retried, and the failed call may have taken effect.
 */
export interface Blobs {
  /**
   * Stores the bytes whole or not at all. If the source throws or the signal aborts, the previous blob remains. Pulls a
   * chunk only when there is room, and always closes the source. Returns the size.
   */
  put(key: BlobKey, source: BlobSource, options?: { contentType?: string; signal?: AbortSignal }): Promise<number>
  /**
   * Returns the blob's bytes, or undefined if it doesn't exist. `range` selects a part: `end` is inclusive and cut to
   * the blob, and a range beyond its end is empty. Always start the loop, because unread bytes hold a connection;
   * leaving it early is fine. One read sees one version of the blob.
   */
  get(
    key: BlobKey,
    options?: { range?: { start: number; end?: number }; signal?: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array> | undefined>
  head(key: BlobKey, options?: { signal?: AbortSignal }): Promise<BlobInfo | undefined>
  /**
   * Yields every blob whose key begins with the prefix, ordered by the key's UTF-8 bytes. `a/b` is also a prefix of
   * `a/bc`.
   */
  list(prefix: string, options?: { signal?: AbortSignal }): AsyncGenerator<BlobInfo>
  /** Removes every blob whose key begins with the prefix, which must not be empty. Blobs put meanwhile may remain. */
  remove(prefix: string, options?: { signal?: AbortSignal }): Promise<void>
  /**
   * Returns a URL for anonymous GET requests, valid for 1 second to 7 days. The response has the sanitised file name as
   * an attachment, and the content type given here or at the put. A missing blob shows only when it is fetched.
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
