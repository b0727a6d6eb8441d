import * as z from "zod"
import { byPath, isWorkspacePath, type WorkspacePath } from "./path.ts"

export const FileEntry = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.int().nonnegative(),
  /** Permission bits only, because with file type bits, an archive could contain a symlink. */
  mode: z.int().min(0).max(0o777),
  binary: z.boolean(),
})
export type FileEntry = z.infer<typeof FileEntry>

const Path = z.custom<WorkspacePath>((value) => typeof value === "string" && isWorkspacePath(value))

/**
 * All files and all empty folders of one version, each sorted by path. They are lists, because an object with paths as
 * keys would silently drop a file named `__proto__`.
 */
export const Manifest = z.object({ files: z.array(FileEntry.extend({ path: Path })), folders: z.array(Path) })
export type Manifest = z.infer<typeof Manifest>
export type ManifestFile = Manifest["files"][number]

/** Returns the canonical text of a manifest, which is the same for the same tree. */
export function manifestText(manifest: Manifest): string {
  const files = manifest.files.map(({ path, sha256, size, mode, binary }) => ({ path, sha256, size, mode, binary }))
  return JSON.stringify({ files: files.sort(byPath), folders: [...manifest.folders].sort() })
}

/** A version of a workspace. Version 0 has no manifest and no files. */
export interface WorkspaceVersion {
  version: number
  manifest: string | null
}

/**
 * A file to write. If the mode is omitted, an existing file keeps its mode, and a new file is executable if it is a
 * script.
 */
export type WrittenFile = Omit<FileEntry, "mode"> & { mode?: number; isScript?: boolean }

/** A change to a workspace that doesn't depend on a version, so it can be applied again to a newer one. */
export type StoredChange =
  /** With `ifSha256`, writes only if the file still has this hash or, if null, if the file doesn't exist. */
  | { op: "write"; path: WorkspacePath; file: WrittenFile; ifSha256?: string | null }
  /**
   * Deletes a file or folder. A folder that isn't empty is deleted only if `recursive` is set. With `ifSha256`, deletes
   * only a file with this hash. `inRepository` means that the worktree still contains the repository's version of the
   * file, so the session doesn't need a copy.
   */
  | { op: "delete"; path: WorkspacePath; recursive?: boolean; ifSha256?: string; inRepository?: boolean }
  /**
   * Renames a file or folder. An existing target is replaced only if `overwrite` is set. With `ifSha256`, renames only
   * a file with this hash.
   */
  | { op: "rename"; fromPath: WorkspacePath; path: WorkspacePath; overwrite?: boolean; ifSha256?: string }
  | { op: "make_folder"; path: WorkspacePath }

/** A stored change, or a write that includes the bytes of the file. */
export type Change =
  | StoredChange
  | { op: "write"; path: WorkspacePath; bytes: Uint8Array; mode?: number; ifSha256?: string | null }
