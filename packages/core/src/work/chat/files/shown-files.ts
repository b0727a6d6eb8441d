import type { WorkspaceVersion } from "../../../files/workspaces/manifest.ts"
import type { SessionState } from "../../../state.ts"

/** Returns the files of a chat: the session's own, or those last read from its repository's worktree. */
export function shownFiles({ session, workspace, chat }: SessionState): WorkspaceVersion {
  return session.repository === null ? workspace : { version: workspace.version, manifest: chat.files }
}
