import type { Git, GitCall } from "./git.ts"
import { asInput, fieldsOf, type GitPath, inFolder } from "./git-path.ts"

/** Lists index entries with `assume-unchanged` or `skip-worktree`, which make git ignore changes to their files. */
export async function listOverlooked(git: Git, call: GitCall): Promise<GitPath[]> {
  return overlookedAmong(fieldsOf((await git(["ls-files", "-v", "-z"], call)).stdout)).map((field) => field.slice(2))
}

/** Returns the lines of `ls-files -v` output with the flag `assume-unchanged` or `skip-worktree`. */
export function overlookedAmong(lines: string[]): string[] {
  return lines.filter((line) => /^[a-zS] /.test(line))
}

/**
 * Clears `assume-unchanged` and `skip-worktree`, except on entries whose files don't exist: a sparse checkout omits
 * such files.
 */
export async function clearFlags(git: Git, paths: GitPath[], call: GitCall): Promise<void> {
  const found = await Promise.all(paths.map((path) => git.files.lstat(inFolder(call.cwd, path)).catch(() => undefined)))
  const input = asInput(paths.filter((_, index) => found[index] !== undefined))
  if (input.length === 0) return
  await git(["update-index", "--no-assume-unchanged", "-z", "--stdin"], { ...call, input })
  await git(["update-index", "--no-skip-worktree", "-z", "--stdin"], { ...call, input })
}
