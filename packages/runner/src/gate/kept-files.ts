import { join } from "node:path"
import { isBinary, sha256Of, type WorkspaceStore } from "@switchyard/core/files/workspaces/blob-store"
import type { Manifest, ManifestFile } from "@switchyard/core/files/workspaces/manifest"
import { workspacePathIfValid } from "@switchyard/core/files/workspaces/path"
import type { Files } from "../files/files.ts"

/** Limits for a command's results: the total number of files, the number of files written, and the bytes written. */
const MAX_FILES = 20_000
const MAX_WRITTEN_FILES = 2000
const MAX_WRITTEN_BYTES = 50 * 1024 * 1024

/** Folders of packages and caches, which can be recreated. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...[".git", "node_modules", "__pycache__", ".venv", "venv", ".pytest_cache", ".mypy_cache", ".cache"],
])

/**
 * Stores a folder's files after a command has run. Returns the hash of their manifest, or undefined if there are too
 * many files. Skips everything that isn't a regular file, names that a session doesn't allow, and new files in package
 * folders.
 */
export async function keepFiles(
  { disk, store }: { disk: Files; store: WorkspaceStore },
  folder: string,
  before: Manifest,
  { signal }: { signal: AbortSignal },
): Promise<string | undefined> {
  const known = new Map<string, ManifestFile>(before.files.map((file) => [file.path, file]))
  const files = before.files.filter(({ path }) => path.split("/").some((name) => LEFT_OUT.has(name)))
  let written = 0
  let bytesWritten = 0

  /** Stores one file. Returns false if the file would exceed a limit. */
  async function keep(path: string): Promise<boolean> {
    const valid = workspacePathIfValid(path)
    const place = join(folder, path)
    const bytes = valid && (await disk.readRegular(Buffer.from(place)))
    if (!valid || !bytes) return true
    const mode = ((await disk.lstat(place))?.mode ?? 0) & 0o100 ? 0o755 : 0o644
    const sha256 = sha256Of(bytes)
    files.push({ path: valid, sha256, size: bytes.length, mode, binary: isBinary(bytes) })
    if (known.get(path)?.sha256 === sha256) return files.length <= MAX_FILES
    bytesWritten += bytes.length
    if (++written > MAX_WRITTEN_FILES || bytesWritten > MAX_WRITTEN_BYTES) return false
    await store.write(sha256, bytes, { signal })
    return files.length <= MAX_FILES
  }

  const folders = [""]
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const { name, kind } of await disk.list(join(folder, at))) {
      signal.throwIfAborted()
      const text = name.toString()
      if (!Buffer.from(text).equals(name) || LEFT_OUT.has(text)) continue
      const path = at === "" ? text : `${at}/${text}`
      if (kind === "folder") folders.push(path)
      if (folders.length > MAX_FILES || (kind === "file" && !(await keep(path)))) return undefined
    }
  }
  return store.writeManifest({ files, folders: before.folders }, { signal })
}
