import * as z from "zod"
import { AppError } from "../errors.ts"
import { isWorkspacePath, type WorkspacePath } from "./path.ts"

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

export const emptyManifest: Manifest = { files: [], folders: [] }

/** The same tree, whichever way it came about, is the same text. */
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

/** What may be done to a workspace, whatever its version: so it can be done again to a newer one. */
export type StoredChange =
  /** `ifSha256`: only over these bytes, or, with null, only where there is no file. */
  | { op: "write"; path: WorkspacePath; file: WrittenFile; ifSha256?: string | null }
  /** A folder that isn't empty goes only with `recursive`. */
  | { op: "delete"; path: WorkspacePath; recursive?: boolean }
  /** A file or a whole folder; what stands at the new path goes only with `overwrite`. */
  | { op: "rename"; fromPath: WorkspacePath; path: WorkspacePath; overwrite?: boolean }
  | { op: "make_folder"; path: WorkspacePath }

/** The same, or a write that brings its bytes along. */
export type Change =
  | StoredChange
  | { op: "write"; path: WorkspacePath; bytes: Uint8Array; mode?: number; ifSha256?: string | null }

/** A manifest as the folders and files that it stands for. */
export interface Folder extends Map<string, FileEntry | Folder> {}

export function isFolder(node: FileEntry | Folder | undefined): node is Folder {
  return node instanceof Map
}

export function toFolder(manifest: Manifest): Folder {
  const root: Folder = new Map()
  for (const { path, ...file } of manifest.files) {
    const parent = makeParents(root, path)
    if (parent.has(nameOf(path))) throw overlap(path)
    parent.set(nameOf(path), file)
  }
  for (const path of manifest.folders) {
    const parent = makeParents(root, path)
    if (parent.has(nameOf(path))) throw overlap(path)
    parent.set(nameOf(path), new Map())
  }
  return root
}

export function toManifest(root: Folder): Manifest {
  const manifest: Manifest = { files: [], folders: [] }
  for (const { path, node } of walk(root)) {
    if (!isFolder(node)) manifest.files.push({ path, ...node })
    else if (node.size === 0) manifest.folders.push(path)
  }
  return { files: manifest.files.sort(byPath), folders: manifest.folders.sort() }
}

/** Everything in a folder, each folder before what it holds. */
function* walk(folder: Folder, prefix = ""): Generator<{ path: WorkspacePath; node: FileEntry | Folder }> {
  for (const [name, node] of folder) {
    const path = `${prefix}${name}` as WorkspacePath
    yield { path, node }
    if (isFolder(node)) yield* walk(node, `${path}/`)
  }
}

/** What stands at a path, if anything does. */
export function nodeAt(root: Folder, path: WorkspacePath): FileEntry | Folder | undefined {
  let node: FileEntry | Folder | undefined = root
  for (const segment of path.split("/")) node = isFolder(node) ? node.get(segment) : undefined
  return node
}

/** The folder that holds the path, made with all its parents if need be; a file among them is a conflict. */
export function makeParents(root: Folder, path: WorkspacePath): Folder {
  let folder = root
  for (const segment of path.split("/").slice(0, -1)) {
    const next = folder.get(segment) ?? (new Map() as Folder)
    if (!isFolder(next)) throw new AppError("workspace_conflict", "A parent of the path is a file.", { path })
    folder.set(segment, next)
    folder = next
  }
  return folder
}

/** The last segment of a path. */
export function nameOf(path: WorkspacePath): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

function byPath(a: ManifestFile, b: ManifestFile): number {
  return a.path < b.path ? -1 : 1
}

function overlap(path: string): AppError {
  return new AppError("workspace_error", "The manifest names a path twice.", { path })
}
