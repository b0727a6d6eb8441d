import { withoutSlashes } from "../../text/trim.ts"
import { workspacePath } from "../workspaces/path.ts"

/**
 * Normalises a worktree folder named by a caller; empty means the worktree itself. Throws `workspace_validation_error`
 * for a path that could leave it.
 */
export function worktreeFolder(named: string): string {
  const folder = withoutSlashes(named.trim().replace(/^\.(?:\/|$)/, ""))
  return folder === "" ? "" : workspacePath(folder)
}
