import { raceAbort } from "../concurrency/race-abort.ts"
import type { BlobSource } from "./blobs.ts"

/**
 * Yields the chunks of a source. When the signal aborts, immediately stops waiting for the next chunk, even if the
 * source ignores the signal.
 */
export async function* chunksOf(source: BlobSource, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) {
    yield source
    return
  }
  const iterator = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await raceAbort(iterator.next(), signal)
      if (next.done) return
      yield next.value
    }
  } finally {
    // The promise of a suspended generator's `return` only settles when the generator's current wait ends, but an abort
    // must not wait for that.
    await raceAbort(Promise.resolve(iterator.return?.()), signal)
  }
}
