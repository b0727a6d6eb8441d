import type { Workspace } from "../../../files/workspaces/files.ts"
import { type WorkspacePath, workspacePathIfValid } from "../../../files/workspaces/path.ts"
import { MAX_EDITABLE_BYTES } from "../../../files/workspaces/text.ts"

/** The selected files by what a model can be shown of them, each by the name under which it is selected. */
export interface SortedSelection {
  texts: { name: string; path: WorkspacePath }[]
  binary: string[]
  /** Files that are gone, and texts that are too long for any prompt. */
  invalid: string[]
}

/** Sorts the selected files as one version has them, without reading any. */
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
