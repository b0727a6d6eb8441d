import { MAIN_WORKTREE } from "./names-schema.ts"

const PREFIX = "switchyard/"

/**
 * The branch that the work in a session's worktree is on. No two worktrees of a session have the same: a dot of a name, which
 * git refuses in some places, becomes a sign that no name has.
 */
export function taskBranch(sessionId: string, worktree: string = MAIN_WORKTREE): string {
  const session = sessionId.replaceAll(/[^A-Za-z0-9_-]/g, "-")
  return `${PREFIX}${session}${worktree === MAIN_WORKTREE ? "" : `.${worktree.replaceAll(".", "=")}`}`
}

/** Whether a branch belongs to a session: not a target of merges, and not shown among the others. */
export function isTaskBranch(branch: string): boolean {
  return branch.startsWith(PREFIX)
}
