import { withoutSlashes } from "../../text/trim.ts"
import { workspacePath } from "../workspaces/path.ts"

/**
 * Normalises the path of a folder in a worktree, as sent by a caller. An empty path means the worktree itself. Throws
 * `workspace_validation_error` if the path could lead outside of the worktree.
 */
export function worktreeFolder(named: string): string {
  const folder = withoutSlashes(named.trim().replace(/^\.(?:\/|$)/, ""))
  return folder === "" ? "" : workspacePath(folder)
}
