import { AppError } from "../../errors.ts"
import type { FileEntry, Manifest } from "./manifest.ts"
import { byPath, type WorkspacePath } from "./path.ts"

export const emptyManifest: Manifest = { files: [], folders: [] }

/** A manifest as a tree of folders and files. */
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

/** Yields everything in a folder. Each folder comes before its content. */
function* walk(folder: Folder, prefix = ""): Generator<{ path: WorkspacePath; node: FileEntry | Folder }> {
  for (const [name, node] of folder) {
    const path = `${prefix}${name}` as WorkspacePath
    yield { path, node }
    if (isFolder(node)) yield* walk(node, `${path}/`)
  }
}

export function nodeAt(root: Folder, path: WorkspacePath): FileEntry | Folder | undefined {
  let node: FileEntry | Folder | undefined = root
  for (const segment of path.split("/")) node = isFolder(node) ? node.get(segment) : undefined
  return node
}

/**
 * Returns the parent folder of the path, and creates missing parents. Throws `workspace_conflict` if a parent is a
 * file.
 */
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

export function nameOf(path: WorkspacePath): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

function overlap(path: string): AppError {
  return new AppError("workspace_error", "The manifest has a duplicate path.", { path })
}
