import { artifactBlobs } from "../../kernel/keys.ts"
import type { Blobs } from "../../storage/blobs.ts"

/** Media type of recordings. */
export const ASCIICAST = "application/x-asciicast"

interface Recorded {
  sid: string
  incarnation: number
  pty: string
}

/** Stores a terminal's asciicast recording and returns its key. */
export async function storeRecording(
  blobs: Blobs,
  { sid, incarnation, pty }: Recorded,
  source: AsyncIterable<Uint8Array>,
  options: { signal?: AbortSignal } = {},
): Promise<string> {
  const key = `${artifactBlobs(sid, incarnation)}recordings/${pty}.cast`
  await blobs.put(key, source, { contentType: ASCIICAST, ...options })
  return key
}
