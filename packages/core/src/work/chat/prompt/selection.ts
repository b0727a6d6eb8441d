import type { Workspace } from "../../../files/workspaces/files.ts"
import { type WorkspacePath, workspacePathIfValid } from "../../../files/workspaces/path.ts"
import { MAX_EDITABLE_BYTES } from "../../../files/workspaces/text.ts"

/** Selected files, grouped by whether a model can read them. */
export interface SortedSelection {
  texts: { name: string; path: WorkspacePath }[]
  binary: string[]
  /** Files that are missing, and texts that are too long for any prompt. */
  invalid: string[]
}

/** Sorts the files selected from one version, without reading them. */
export function sortSelection(workspace: Workspace, selected: readonly string[]): SortedSelection {
  const sorted: SortedSelection = { texts: [], binary: [], invalid: [] }
  for (const name of selected) {
    const path = workspacePathIfValid(name)
    const node = path && workspace.stat(path)
    if (!path || node?.type !== "file" || node.size > MAX_EDITABLE_BYTES) sorted.invalid.push(name)
    else if (node.binary) sorted.binary.push(name)
    else sorted.texts.push({ name, path })
  }
  return sorted
}
