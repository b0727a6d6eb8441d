import type { Manifest, ManifestFile } from "@switchyard/core/files/workspaces/manifest"
import { isWorkspacePath } from "@switchyard/core/files/workspaces/path"
import type { TreeNode } from "@switchyard/core/files/workspaces/schema"
import { treeNodes } from "@switchyard/core/files/workspaces/tree"
import { toFolder } from "@switchyard/core/files/workspaces/tree-model"

/** A row of the tree. Without `file`, the file is being written for the first time. */
export interface TreeEntry {
  path: string
  name: string
  kind: "file" | "folder"
  file?: ManifestFile
  /** IDs of a folder's children, in tree order. */
  children: readonly string[]
  /** Number of files in a folder, at any depth. */
  fileCount: number
}

/** The tree by ID. IDs begin with a slash, so that file names can't clash with object properties. */
export type TreeIndex = ReadonlyMap<string, TreeEntry>

export const ROOT_ID = "/"

export function idOf(path: string): string {
  return `/${path}`
}

/** Natural sort order: `part-2` comes before `part-10`. */
const names = new Intl.Collator("en", { numeric: true })

/**
 * Builds the tree in the order in which people look for files: folders first, then by name, ignoring case. Includes
 * files being written.
 */
export function indexTree(manifest: Manifest, writing: readonly string[] = []): TreeIndex {
  const files = new Map<string, ManifestFile>(manifest.files.map((file) => [file.path, file]))
  const index = new Map<string, TreeEntry>()
  const nodes = treeNodes(toFolder(writing.reduce(withPending, manifest))).sort(inOrder)
  index.set(ROOT_ID, {
    path: "",
    name: "",
    kind: "folder",
    children: nodes.map(({ path }) => idOf(path)),
    fileCount: 0,
  })
  for (const node of nodes) add(index, files, node)
  return index
}

/** Returns a path's ancestor folders, from the root down. */
export function foldersAbove(path: string): string[] {
  const segments = path.split("/").slice(0, -1)
  return segments.map((_, depth) => segments.slice(0, depth + 1).join("/"))
}

/**
 * Returns the open folders. Those that the reader opened or closed stay that way; by default, the root's folders are
 * open.
 */
export function openFolders(index: TreeIndex, chosen: ReadonlyMap<string, boolean>): string[] {
  const open: string[] = []
  for (const [id, { kind, path }] of index) {
    if (kind === "folder" && id !== ROOT_ID && (chosen.get(path) ?? !path.includes("/"))) open.push(id)
  }
  return open
}

function inOrder(a: TreeNode, b: TreeNode): number {
  if (a.type !== b.type) return a.type === "directory" ? -1 : 1
  return names.compare(a.name, b.name)
}

function add(index: Map<string, TreeEntry>, files: Map<string, ManifestFile>, node: TreeNode): number {
  const { path, name, children } = node
  if (!children) {
    index.set(idOf(path), { path, name, kind: "file", file: files.get(path), children: [], fileCount: 1 })
    return 1
  }
  const entry = {
    path,
    name,
    kind: "folder" as const,
    children: children.sort(inOrder).map((child) => idOf(child.path)),
    fileCount: 0,
  }
  index.set(idOf(path), entry)
  for (const child of children) entry.fileCount += add(index, files, child)
  return entry.fileCount
}

/** Returns the manifest with the file being written, unless it is full. */
function withPending(manifest: Manifest, writing: string): Manifest {
  const files = new Set<string>(manifest.files.map(({ path }) => path))
  if (!isWorkspacePath(writing) || files.has(writing)) return manifest
  const inTheWay =
    foldersAbove(writing).some((folder) => files.has(folder)) ||
    manifest.files.some(({ path }) => path.startsWith(`${writing}/`)) ||
    manifest.folders.some((path) => path === writing || path.startsWith(`${writing}/`))
  if (inTheWay) return manifest
  const pending: ManifestFile = { path: writing, sha256: "", size: 0, mode: 0o644, binary: false }
  const folders = manifest.folders.filter((folder) => !writing.startsWith(`${folder}/`))
  return { files: [...manifest.files, pending], folders }
}
