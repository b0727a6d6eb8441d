import type { Depot } from "./runner-process.ts"

/** The folder of a worktree. Resolves once there is one: a slow runner tells of its absence first. */
export async function worktreeFolder(depot: Depot, name = "main"): Promise<string> {
  for (let since = 0; ; ) {
    const { seq, worktree = "main", status } = await depot.seen("worktree_changed", since)
    if (worktree === name && status.path !== null) return status.path
    since = seq
  }
}
