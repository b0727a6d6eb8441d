import { mapConcurrent } from "../../concurrency/map-concurrent.ts"
import { isBinary, sha256Of, type WorkspaceStore } from "./blob-store.ts"
import type { Change, StoredChange } from "./manifest.ts"

const PUTS_AT_ONCE = 16

/** Separates the changes from the bytes that they write. The bytes are returned by hash. */
export function splitContents(changes: Change[]): { stored: StoredChange[]; contents: Map<string, Uint8Array> } {
  const contents = new Map<string, Uint8Array>()
  const stored = changes.map((change): StoredChange => {
    if (!("bytes" in change)) return change
    const { op, path, bytes, mode, ifSha256 } = change
    const sha256 = sha256Of(bytes)
    contents.set(sha256, bytes)
    const file = {
      sha256,
      size: bytes.length,
      mode: mode === undefined ? undefined : permissions(mode),
      binary: isBinary(bytes),
      ...(isScript(bytes) && { isScript: true }),
    }
    return { op, path, file, ifSha256 }
  })
  return { stored, contents }
}

/** True if a file begins with `#!`, which is followed by the name of the program that runs the file. */
function isScript(bytes: Uint8Array): boolean {
  return bytes[0] === 0x23 && bytes[1] === 0x21
}

/** Reduces a mode to executable or not, like git does. The other bits are meaningless if there is only one owner. */
function permissions(mode: number): number {
  return mode & 0o100 ? 0o755 : 0o644
}

/** Stores contents by hash. Removes each entry from the map once it is stored. */
export async function putContents(
  store: WorkspaceStore,
  contents: Map<string, Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const put = async ([sha256, bytes]: [string, Uint8Array]) => {
    await store.write(sha256, bytes, { signal })
    return sha256
  }
  for await (const sha256 of mapConcurrent([...contents], put, { atOnce: PUTS_AT_ONCE })) contents.delete(sha256)
}
