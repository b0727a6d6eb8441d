import { MAIN_WORKTREE } from "./names-schema.ts"

const PREFIX = "switchyard/"

/**
 * A worktree's name as a part of the names of branches and files: empty for `main`, and another one for each. It has no
 * dot, which git refuses in some places, and with which one worktree's file could be named like another's with a suffix;
 * a sign takes its place that no name has.
 */
export function worktreeSlug(name: string): string {
  return name === MAIN_WORKTREE ? "" : name.replaceAll(".", "=")
}

/** The branch that the work in a session's worktree is on. No two worktrees of a session have the same. */
export function taskBranch(sessionId: string, worktree: string = MAIN_WORKTREE): string {
  const session = sessionId.replaceAll(/[^A-Za-z0-9_-]/g, "-")
  const slug = worktreeSlug(worktree)
  return `${PREFIX}${session}${slug && `.${slug}`}`
}

/** Whether a branch belongs to a session: not a target of merges, and not shown among the others. */
export function isTaskBranch(branch: string): boolean {
  return branch.startsWith(PREFIX)
}
