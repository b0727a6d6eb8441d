import type { FileEntry, Manifest, StoredChange } from "./manifest.ts"
import type { WorkspacePath } from "./path.ts"
import { type Folder, isFolder, toFolder } from "./tree-model.ts"

/** Files that differ between two versions. Each list is sorted by path, and empty folders are ignored. */
export interface Comparison {
  added: WorkspacePath[]
  removed: WorkspacePath[]
  /** Files whose content or mode differs. */
  changed: WorkspacePath[]
  /** Files that disappeared from one path and appeared at another path with the same content. */
  renamed: { from: WorkspacePath; to: WorkspacePath }[]
}

export function compareManifests(a: Manifest, b: Manifest): Comparison {
  const before = new Map(a.files.map((file) => [file.path, file]))
  const after = new Map(b.files.map((file) => [file.path, file]))
  const gone = Map.groupBy(
    a.files.filter((file) => !after.has(file.path)),
    (file) => file.sha256,
  )
  const comparison: Comparison = { added: [], removed: [], changed: [], renamed: [] }
  for (const file of b.files) {
    const old = before.get(file.path)
    const from = old ? undefined : gone.get(file.sha256)?.shift()
    if (from) comparison.renamed.push({ from: from.path, to: file.path })
    else if (!old) comparison.added.push(file.path)
    else if (!sameFile(old, file)) comparison.changed.push(file.path)
  }
  comparison.removed = [...gone.values()].flatMap((files) => files.map((file) => file.path)).sort()
  return comparison
}

/** Returns the changes that turn `current` into `wanted`. The bytes that these changes write are already stored. */
export function restoreChanges(current: Manifest, wanted: Manifest): StoredChange[] {
  return folderChanges(toFolder(current), toFolder(wanted), "")
}

function folderChanges(current: Folder, wanted: Folder, prefix: string): StoredChange[] {
  const at = (name: string) => `${prefix}${name}` as WorkspacePath
  const obsolete = [...current].filter(([name, node]) => {
    const other = wanted.get(name)
    return !other || isFolder(other) !== isFolder(node)
  })
  const deletes = obsolete.map(([name]): StoredChange => ({ op: "delete", path: at(name), recursive: true }))
  const others = [...wanted].flatMap(([name, node]): StoredChange[] => {
    const old = current.get(name)
    if (isFolder(node)) {
      const made: StoredChange[] = isFolder(old) ? [] : [{ op: "make_folder", path: at(name) }]
      return [...made, ...folderChanges(isFolder(old) ? old : new Map(), node, `${at(name)}/`)]
    }
    const unchanged = old && !isFolder(old) && sameFile(old, node)
    return unchanged ? [] : [{ op: "write", path: at(name), file: node }]
  })
  return [...deletes, ...others]
}

function sameFile(a: FileEntry, b: FileEntry): boolean {
  return a.sha256 === b.sha256 && a.mode === b.mode
}
