import { AppError } from "../errors.ts"
import type { SessionHandle } from "../kernel/session-handle.ts"
import type { Blobs } from "../storage/blobs.ts"
import { findArtifact } from "./artifacts.ts"

/** Returns the hashes of the uploads at these paths in this session. Throws `task_invalid` if an upload is missing. */
export async function findUploads(
  deps: { blobs: Blobs },
  session: SessionHandle,
  paths: string[],
  options: { signal: AbortSignal },
): Promise<string[]> {
  const hashes = paths.map((path) => path.slice("artifacts/".length))
  for (const sha256 of hashes) {
    if (await findArtifact(deps, session, sha256, options)) continue
    throw new AppError("task_invalid", "This session has no such upload.", { screenshot: `artifacts/${sha256}` })
  }
  return hashes
}
