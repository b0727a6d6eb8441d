import { createCastReader, type Recording } from "./recording.ts"

/** A page that is busy for longer than this misses a frame. */
const BUSY_MS = 8

/** Fetches a recording and reads it while it comes in, a bit at a time: the page goes on meanwhile, however long it is. */
export async function loadRecording(
  get: typeof fetch,
  url: string,
  { onProgress, signal }: { onProgress(bytes: number): void; signal: AbortSignal },
): Promise<Recording> {
  const answer = await get(url, { signal })
  if (!answer.ok || !answer.body) throw new Error("The recording can't be read.")
  const reader = createCastReader()
  const bytes = answer.body.getReader()
  const decoder = new TextDecoder()
  let count = 0
  let since = performance.now()
  for (;;) {
    const { done, value } = await bytes.read()
    if (done) break
    for (let from = 0; from < value.length; from += PIECE) {
      reader.push(decoder.decode(value.subarray(from, from + PIECE), { stream: true }))
      if (performance.now() - since < BUSY_MS) continue
      await new Promise((resolve) => setTimeout(resolve))
      since = performance.now()
    }
    count += value.length
    onProgress(count)
  }
  reader.push(decoder.decode())
  return reader.end()
}

const PIECE = 128 * 1024
