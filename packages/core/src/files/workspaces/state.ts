import type { Part } from "../../kernel/part.ts"

/** The newest version of the session's files. */
export interface WorkspaceState {
  version: number
  manifest: string | null
  /** Their number; null in versions that were committed without one. */
  files: number | null
}

export const workspacePart: Part<WorkspaceState> = {
  version: 1,
  initial: { version: 0, manifest: null, files: 0 },
  apply(workspace, event) {
    if (event.type !== "workspace_committed") return workspace
    return { version: event.version, manifest: event.manifest, files: event.file_count ?? null }
  },
}
