import type { WorkspaceVersion } from "../../../files/workspaces/manifest.ts"
import type { SessionState } from "../../../state.ts"

/** The files that a chat is about: the session's own, or those of its repository's worktree as they were last read. */
export function shownFiles({ session, workspace, chat }: SessionState): WorkspaceVersion {
  return session.repository === null ? workspace : { version: workspace.version, manifest: chat.files }
}
