import type { Part } from "../../kernel/part.ts"
import type { CheckCommands } from "../../work/gate/schema.ts"

/** Newest version of the session's files. */
export interface WorkspaceState {
  version: number
  manifest: string | null
  /** Number of files. Null for versions that were committed without a count. */
  files: number | null
  /** Check commands set by a person. */
  checkCommands: CheckCommands
  /** Newest commit by a run. Absent if no run has committed, and in snapshots of older servers. */
  runCommitSeq?: number
}

export const workspacePart: Part<WorkspaceState> = {
  version: 2,
  initial: { version: 0, manifest: null, files: 0, checkCommands: {} },
  apply(workspace, event) {
    if (event.type === "check_commands_set") return { ...workspace, checkCommands: event.commands }
    if (event.type !== "workspace_committed") return workspace
    const { version, manifest, file_count: files = null } = event
    return { ...workspace, version, manifest, files, ...(event.run_id && { runCommitSeq: event.seq }) }
  },
}
