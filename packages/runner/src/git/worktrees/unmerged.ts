import { fieldsOf, type GitPath } from "../plumbing/git-path.ts"
import type { Stages, Worktree } from "./worktree-record.ts"

/** Returns a checkout's unmerged index entries by path. By default, the checkout is the scratch worktree. */
export async function unmergedIn(
  { git, scratch }: Worktree,
  { signal }: { signal: AbortSignal },
  cwd: string = scratch,
): Promise<Map<GitPath, Stages>> {
  const { stdout } = await git(["ls-files", "--unmerged", "-z"], { cwd, signal })
  const found = new Map<GitPath, Stages>()
  for (const field of fieldsOf(stdout)) {
    const tab = field.indexOf("\t")
    const [mode = "", blob = "", stage] = field.slice(0, tab).split(" ")
    const path = field.slice(tab + 1)
    const stages = found.get(path) ?? [null, null, null]
    stages[Number(stage) - 1] = { mode, blob }
    found.set(path, stages)
  }
  return found
}
