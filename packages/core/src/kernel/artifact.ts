import { createHash } from "node:crypto"
import type { Blobs } from "../storage/blobs.ts"
import type { ArtifactRef } from "./artifact-schema.ts"
import { artifactBlobs } from "./keys.ts"

/** Stores bytes outside the session log. Identical bytes are stored only once. */
export async function storeArtifact(
  blobs: Blobs,
  { sid, incarnation }: { sid: string; incarnation: number },
  bytes: Uint8Array,
  options: { signal: AbortSignal },
): Promise<ArtifactRef> {
  const sha256 = createHash("sha256").update(bytes).digest("hex")
  await blobs.put(`${artifactBlobs(sid, incarnation)}${sha256}`, bytes, options)
  return { path: `artifacts/${sha256}`, sha256, size: bytes.byteLength }
}
