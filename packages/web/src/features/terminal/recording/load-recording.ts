import { createCastReader, type Recording } from "./recording.ts"

/** A longer task would drop a frame. */
const BUSY_MS = 8

/** Downloads and parses a recording in slices, so that the page stays responsive however long it is. */
export async function loadRecording(
  get: typeof fetch,
  url: string,
  { onProgress, signal }: { onProgress(bytes: number): void; signal: AbortSignal },
): Promise<Recording> {
  const reader = createCastReader()
  const decoder = new TextDecoder()
  let count = 0
  let since = performance.now()
  for await (const bytes of parts(get, url, signal)) {
    for (let from = 0; from < bytes.length; from += PIECE) {
      reader.push(decoder.decode(bytes.subarray(from, from + PIECE), { stream: true }))
      if (performance.now() - since < BUSY_MS) continue
      await new Promise((resolve) => setTimeout(resolve))
      since = performance.now()
    }
    count += bytes.length
    onProgress(count)
  }
  reader.push(decoder.decode())
  return reader.end()
}

/** The server sends a long recording in ranges, because the page can't load data from another origin. */
async function* parts(get: typeof fetch, url: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let size = Number.POSITIVE_INFINITY
  for (let have = 0; have < size; ) {
    const from = have
    const response = await get(url, { headers: { Range: `bytes=${from}-` }, signal })
    if (!response.ok || !response.body) throw new Error("Couldn't load the recording.")
    const bytes = response.body.getReader()
    for (let next = await bytes.read(); !next.done; next = await bytes.read()) {
      have += next.value.length
      yield next.value
    }
    if (have === from) throw new Error("The recording is incomplete.")
    size = response.status === 206 ? Number(response.headers.get("content-range")?.split("/")[1]) : have
  }
}

const PIECE = 128 * 1024
