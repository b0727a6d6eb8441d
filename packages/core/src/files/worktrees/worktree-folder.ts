import { withoutSlashes } from "../../trim.ts"
import { workspacePath } from "../workspaces/path.ts"

/**
 * The folder of a worktree that a caller named, in one spelling; empty for the worktree itself. Throws
 * `workspace_validation_error` for a path that could lead out.
 */
export function worktreeFolder(named: string): string {
  const folder = withoutSlashes(named.trim().replace(/^\.(?:\/|$)/, ""))
  return folder === "" ? "" : workspacePath(folder)
}
