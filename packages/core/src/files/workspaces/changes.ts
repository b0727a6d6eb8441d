import { AppError } from "../../errors.ts"
import type { FileEntry, Manifest, StoredChange } from "./manifest.ts"
import type { WorkspacePath } from "./path.ts"
import type { CommittedChange } from "./schema.ts"
import { type Folder, isFolder, makeParents, nameOf, nodeAt, toFolder, toManifest } from "./tree-model.ts"
import { createTwinFinder, isAscii } from "./twins.ts"

export interface AppliedChanges {
  manifest: Manifest
  /** Changes that had an effect. Applied to the same manifest, they always have the same effect. */
  committed: CommittedChange[]
}

const DEFAULT_MODE = 0o644
const SCRIPT_MODE = 0o755

/**
 * Applies all changes in order. Throws at the first change that can't be applied: `workspace_not_found` if the path to
 * delete or rename doesn't exist, and `workspace_conflict` if the target path is taken, even by a name that differs
 * only in Unicode form. Missing parents are created as with `mkdir -p`, and folders that become empty are kept.
 */
export function applyChanges(manifest: Manifest, changes: StoredChange[]): AppliedChanges {
  const root = toFolder(manifest)
  const committed = changes.flatMap((change) => apply(root, change) ?? [])
  if (committed.length === 0) return { manifest, committed }
  const changed = toManifest(root)
  assertNoTwins(changed, committed)
  return { manifest: changed, committed }
}

/** Returns a change with the same effect as a committed one. */
export function replayChange(committed: CommittedChange): StoredChange {
  const { op, sha256, size_bytes: size, mode, binary } = committed
  const path = committed.path as WorkspacePath
  if (op === "delete") return { op, path, recursive: true }
  if (op === "rename") return { op, path, fromPath: committed.from_path as WorkspacePath, overwrite: true }
  if (op === "make_folder") return { op, path }
  return { op, path, file: { sha256: sha256 ?? "", size: size ?? 0, mode, binary: binary ?? false } }
}

function apply(root: Folder, change: StoredChange): CommittedChange | undefined {
  switch (change.op) {
    case "write":
      return write(root, change)
    case "delete":
      return remove(root, change)
    case "rename":
      return rename(root, change)
    case "make_folder":
      return makeFolder(root, change)
  }
}

/**
 * Throws if the changes added a path that differs from another path only in Unicode form. Earlier versions of a
 * workspace contain no such paths.
 */
function assertNoTwins({ files, folders }: Manifest, committed: CommittedChange[]): void {
  if (committed.every(({ op, path }) => op === "delete" || isAscii(path))) return
  const finder = createTwinFinder()
  for (const path of [...files.map((file) => file.path), ...folders]) {
    const other = finder.add(path)
    if (other !== undefined) throw conflict("Another name differs only in its Unicode form.", { path, other })
  }
}

type ChangeOf<Op extends StoredChange["op"]> = Extract<StoredChange, { op: Op }>

function write(root: Folder, { path, file, ifSha256 }: ChangeOf<"write">): CommittedChange | undefined {
  const current = nodeAt(root, path)
  if (isFolder(current)) throw conflict("This path is a folder.", { path })
  assertUnchanged(path, current, ifSha256)
  const { sha256, size, binary } = file
  const mode = file.mode ?? current?.mode ?? (file.isScript ? SCRIPT_MODE : DEFAULT_MODE)
  if (current?.sha256 === sha256 && current.mode === mode) return undefined
  makeParents(root, path).set(nameOf(path), { sha256, size, mode, binary })
  return { op: "write", path, sha256, size_bytes: size, mode, binary }
}

function remove(root: Folder, { path, recursive, ifSha256, inRepository }: ChangeOf<"delete">): CommittedChange {
  const current = existing(root, path)
  assertUnchanged(path, current, ifSha256)
  if (isFolder(current) && current.size > 0 && !recursive) throw conflict("The folder is not empty.", { path })
  makeParents(root, path).delete(nameOf(path))
  return { op: "delete", path, ...(inRepository && { in_repository: true }) }
}

function rename(
  root: Folder,
  { fromPath, path, overwrite, ifSha256 }: ChangeOf<"rename">,
): CommittedChange | undefined {
  const source = existing(root, fromPath)
  assertUnchanged(fromPath, source, ifSha256)
  if (path === fromPath) return undefined
  const paths = { from_path: fromPath, path }
  if (path.startsWith(`${fromPath}/`)) throw conflict("A folder can't be moved into itself.", paths)
  if (fromPath.startsWith(`${path}/`)) throw conflict("A folder can't be replaced by its own content.", paths)
  if (nodeAt(root, path) && !overwrite) throw conflict("The new path is already taken.", paths)
  const target = makeParents(root, path)
  makeParents(root, fromPath).delete(nameOf(fromPath))
  target.set(nameOf(path), source)
  return { op: "rename", ...paths }
}

function makeFolder(root: Folder, { path }: ChangeOf<"make_folder">): CommittedChange | undefined {
  const current = nodeAt(root, path)
  if (isFolder(current)) return undefined
  if (current) throw conflict("There is a file at this path.", { path })
  makeParents(root, path).set(nameOf(path), new Map())
  return { op: "make_folder", path }
}

function assertUnchanged(
  path: WorkspacePath,
  current: FileEntry | Folder | undefined,
  ifSha256: string | null | undefined,
): void {
  const currentSha256 = current === undefined || isFolder(current) ? null : current.sha256
  if (ifSha256 === undefined || ifSha256 === currentSha256) return
  throw conflict("The file has changed.", { path, current_sha256: currentSha256 })
}

function existing(root: Folder, path: WorkspacePath): FileEntry | Folder {
  const node = nodeAt(root, path)
  if (!node) throw new AppError("workspace_not_found", "There is no file or folder at this path.", { path })
  return node
}

function conflict(message: string, details: Record<string, unknown>): AppError {
  return new AppError("workspace_conflict", message, details)
}
