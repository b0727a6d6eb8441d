import { AppError } from "../../errors.ts"
import type { FileEntry, Manifest, StoredChange } from "./manifest.ts"
import type { WorkspacePath } from "./path.ts"
import { type Folder, isFolder, nodeAt, toFolder } from "./tree-model.ts"

/**
 * Throws `workspace_conflict` if something that the changes touch is no longer what it was in `base`, where they were
 * thought of. What they don't touch may have changed as it likes, and so may a file that already is what is to be
 * written: a commit that is made twice has nothing to fear from itself.
 */
export function checkUnderneath(base: Manifest, head: Manifest, changes: StoredChange[]): void {
  const before = toFolder(base)
  const now = toFolder(head)
  for (const change of changes) {
    for (const path of touched(change)) {
      const current = nodeAt(now, path)
      if (same(nodeAt(before, path), current) || isResult(change, current)) continue
      throw new AppError("workspace_conflict", "Somebody else changed this meanwhile.", {
        path,
        current_sha256: current && !isFolder(current) ? current.sha256 : null,
      })
    }
  }
}

function touched(change: StoredChange): WorkspacePath[] {
  if (change.op === "make_folder") return []
  return change.op === "rename" ? [change.fromPath, change.path] : [change.path]
}

function isResult(change: StoredChange, current: FileEntry | Folder | undefined): boolean {
  return change.op === "write" && !!current && !isFolder(current) && current.sha256 === change.file.sha256
}

function same(a: FileEntry | Folder | undefined, b: FileEntry | Folder | undefined): boolean {
  if (!a || !b) return a === b
  if (isFolder(a) && isFolder(b)) return a.size === b.size && [...a].every(([name, node]) => same(node, b.get(name)))
  return !isFolder(a) && !isFolder(b) && a.sha256 === b.sha256 && a.mode === b.mode
}
