/** What a key may be: 1 to 900 bytes of UTF-8. Any text is safe: a key never becomes a file name. */
export type BlobKey = string

export interface BlobInfo {
  key: BlobKey
  sizeBytes: number
  /** Unix milliseconds. */
  modifiedAt: number
}

export type BlobSource = Uint8Array | AsyncIterable<Uint8Array>

export interface Blobs {
  /** Stores the bytes whole or not at all: a source that throws leaves what stood at the key. Resolves to the size. */
  put(key: BlobKey, source: BlobSource, options?: { contentType?: string; signal?: AbortSignal }): Promise<number>
  /** The bytes, or of a range (`end` inclusive), or undefined if there is no such blob. Leaving the loop early is fine. */
  get(
    key: BlobKey,
    options?: { range?: { start: number; end?: number }; signal?: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array> | undefined>
  head(key: BlobKey, options?: { signal?: AbortSignal }): Promise<BlobInfo | undefined>
  /** Every blob whose key begins with the prefix, in order of the key's UTF-8 bytes. */
  list(prefix: string, options?: { signal?: AbortSignal }): AsyncGenerator<BlobInfo>
  /** Removes every blob whose key begins with the prefix; what is put meanwhile may stay. */
  remove(prefix: string, options?: { signal?: AbortSignal }): Promise<void>
  /** A URL that anyone may GET until it expires; the answer carries the file name as an attachment. */
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
