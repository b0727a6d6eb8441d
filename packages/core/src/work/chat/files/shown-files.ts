import type { WorkspaceVersion } from "../../../files/workspaces/manifest.ts"
import type { SessionState } from "../../../state.ts"

/**
 * Returns a chat's files: the session's own files or, if it has a repository, the files last read from the repository's
 * worktree.
 */
export function shownFiles({ session, workspace, chat }: SessionState): WorkspaceVersion {
  return session.repository === null ? workspace : { version: workspace.version, manifest: chat.files }
}
