import * as z from "zod"
import { byPath, isWorkspacePath, type WorkspacePath } from "./path.ts"

export const FileEntry = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.int().nonnegative(),
  /** Permissions only: with the bits of a file's type, an archive could be made to hold a link. */
  mode: z.int().min(0).max(0o777),
  binary: z.boolean(),
})
export type FileEntry = z.infer<typeof FileEntry>

const Path = z.custom<WorkspacePath>((value) => typeof value === "string" && isWorkspacePath(value))

/**
 * All files of one version, and the folders that hold nothing, each in order of its path. Lists, not objects by path: a
 * file may be called `__proto__`, and an object drops that silently.
 */
export const Manifest = z.object({ files: z.array(FileEntry.extend({ path: Path })), folders: z.array(Path) })
export type Manifest = z.infer<typeof Manifest>
export type ManifestFile = Manifest["files"][number]

/** The canonical text of a manifest: the same tree gives the same text. */
export function manifestText(manifest: Manifest): string {
  const files = manifest.files.map(({ path, sha256, size, mode, binary }) => ({ path, sha256, size, mode, binary }))
  return JSON.stringify({ files: files.sort(byPath), folders: [...manifest.folders].sort() })
}

/** A version of a workspace. Version 0 has no manifest, and no files. */
export interface WorkspaceVersion {
  version: number
  manifest: string | null
}

/** A file to write. Without a mode, it keeps the one of the file that it replaces. */
export type WrittenFile = Omit<FileEntry, "mode"> & { mode?: number }

/** A change to a workspace that doesn't depend on its version, and so can be applied again to a newer one. */
export type StoredChange =
  /** `ifSha256`: only over these bytes, or, with null, only where there is no file. */
  | { op: "write"; path: WorkspacePath; file: WrittenFile; ifSha256?: string | null }
  /**
   * A folder that isn't empty goes only with `recursive`. `ifSha256`: only a file with these bytes. `inRepository`: it is still
   * in the worktree, the same as in the repository, so the session needs no copy of it.
   */
  | { op: "delete"; path: WorkspacePath; recursive?: boolean; ifSha256?: string; inRepository?: boolean }
  /** A file or a whole folder; an existing target is replaced only with `overwrite`. `ifSha256`: as above. */
  | { op: "rename"; fromPath: WorkspacePath; path: WorkspacePath; overwrite?: boolean; ifSha256?: string }
  | { op: "make_folder"; path: WorkspacePath }

/** The same, or a write with its bytes. */
export type Change =
  | StoredChange
  | { op: "write"; path: WorkspacePath; bytes: Uint8Array; mode?: number; ifSha256?: string | null }
