import type { BlobSource } from "./blobs.ts"

/**
 * The chunks of a source, pulled one at a time. An abort ends a wait for the next chunk at once, even if the source itself
 * ignores the signal.
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
    // A generator that still waits settles `return` only after its wait, which an abort doesn't wait for.
    await raceAbort(Promise.resolve(iterator.return?.()), signal)
  }
}

function raceAbort<T>(pending: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return pending
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener("abort", stop, { once: true })
    pending.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
  })
}
