import { AppError } from "../../errors.ts"
import type { FileEntry, Manifest, StoredChange } from "./manifest.ts"
import type { WorkspacePath } from "./path.ts"
import { type Folder, isFolder, nodeAt, toFolder } from "./tree-model.ts"

/**
 * Throws `workspace_conflict` if a path that the changes touch differs from `base`. Other paths may differ. A file that
 * already has the new content isn't a conflict, so that a commit can be repeated.
 */
export function assertUnchangedSince(base: Manifest, head: Manifest, changes: StoredChange[]): void {
  const before = toFolder(base)
  const now = toFolder(head)
  for (const change of changes) {
    for (const path of touchedPaths(change)) {
      const current = nodeAt(now, path)
      if (isSame(nodeAt(before, path), current) || isResult(change, current)) continue
      throw new AppError(
        "workspace_conflict",
        "This was changed after you loaded it. Load it again to see the changes.",
        {
          path,
          current_sha256: current && !isFolder(current) ? current.sha256 : null,
        },
      )
    }
  }
}

function touchedPaths(change: StoredChange): WorkspacePath[] {
  if (change.op === "make_folder") return []
  return change.op === "rename" ? [change.fromPath, change.path] : [change.path]
}

function isResult(change: StoredChange, current: FileEntry | Folder | undefined): boolean {
  return change.op === "write" && !!current && !isFolder(current) && current.sha256 === change.file.sha256
}

function isSame(a: FileEntry | Folder | undefined, b: FileEntry | Folder | undefined): boolean {
  if (!a || !b) return a === b
  if (isFolder(a) && isFolder(b)) return a.size === b.size && [...a].every(([name, node]) => isSame(node, b.get(name)))
  return !isFolder(a) && !isFolder(b) && a.sha256 === b.sha256 && a.mode === b.mode
}
