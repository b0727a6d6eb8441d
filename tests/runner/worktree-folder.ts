import type { Depot } from "./runner-process.ts"

/** Resolves to the folder of a worktree once it exists. A slow runner first reports that it doesn't. */
export async function worktreeFolder(depot: Depot, name = "main"): Promise<string> {
  for (let since = 0; ; ) {
    const { seq, worktree = "main", status } = await depot.seen("worktree_changed", since)
    if (worktree === name && status.path !== null) return status.path
    since = seq
  }
}
