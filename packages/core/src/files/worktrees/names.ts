const PREFIX = "switchyard/"

/** The branch that a session's work is on. */
export function taskBranch(sessionId: string): string {
  return `${PREFIX}${sessionId.replaceAll(/[^A-Za-z0-9_-]/g, "-")}`
}

/** Whether a branch is some session's: no place to merge to, and not shown among the others. */
export function isTaskBranch(branch: string): boolean {
  return branch.startsWith(PREFIX)
}
