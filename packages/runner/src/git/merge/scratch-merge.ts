import { AppError } from "@switchyard/core/errors"
import { asInput, type GitPath, inFolder } from "../plumbing/git-path.ts"
import { identity } from "../plumbing/snapshot.ts"
import { indexInfo, type TreeEntry } from "../plumbing/tree-changes.ts"
import { type Resolved, removeCheckout, type Stages, type Worktree } from "../worktrees/worktree-record.ts"

interface Options {
  signal: AbortSignal
}

export type ScratchMerge = { status: "clean" | "nothing" } | { status: "conflicts"; notes: string[] }

/** Merges one commit into another in the scratch worktree. `notes` are git's descriptions of the conflicts. */
export async function mergeInScratch(
  worktree: Worktree,
  { ours, theirs }: { ours: string; theirs: string },
  { signal }: Options,
): Promise<ScratchMerge> {
  const { git, repository, scratch } = worktree
  if (await git.files.exists(scratch)) await removeCheckout(worktree, scratch, { signal })
  // Pass `--force` twice, because git may still have an earlier worktree registered at this path, and that worktree may
  // be locked.
  const add = ["worktree", "add", "--force", "--force", "--detach", "--no-checkout", "--quiet", "--", scratch, ours]
  await git(add, { cwd: repository.folder, signal })
  // If there is a sandbox, git runs in it, because an agent may have made the commit.
  await git(["reset", "--quiet", "--hard"], { cwd: scratch, signal })
  const flags = ["--no-commit", "--no-ff", "--no-stat", "--no-verify-signatures", "--no-autostash"]
  const merge = ["merge", ...flags, "--no-rerere-autoupdate", theirs]
  const { code, stdout } = await git(merge, { cwd: scratch, env: identity(), signal, accept: [1] })
  const said = stdout.toString()
  if (code === 0) return { status: said.startsWith("Already up to date") ? "nothing" : "clean" }
  const notes = said.split("\n").filter((line) => line.startsWith("CONFLICT"))
  if (notes.length > 0) return { status: "conflicts", notes }
  throw new AppError("git_error", "The merge failed.", { said: said.slice(-2000) })
}

/** Writes resolutions to the index and the files. */
export async function writeResolutions(
  { git, scratch }: Worktree,
  resolved: { path: GitPath; entry: TreeEntry | null }[],
  { signal }: Options,
): Promise<void> {
  if (resolved.length === 0) return
  const call = { cwd: scratch, signal }
  const input = asInput(indexInfo(resolved.map(({ path, entry }) => ({ path, to: entry }))))
  await git(["update-index", "-z", "--index-info"], { ...call, input })
  for (const { path, entry } of resolved) {
    if (!entry) await git.files.remove(inFolder(scratch, path))
  }
  const files = resolved.flatMap(({ path, entry }) => (entry && entry.mode !== "160000" ? [path] : []))
  // Files that can't be written don't matter, because the commit is made from the index.
  await git(["checkout-index", "--force", "--quiet", "-z", "--stdin"], { ...call, input: asInput(files), accept: [1] })
}

/** Returns the resolutions that still apply because the same versions of the files are in conflict. */
export function stillApplicable(resolved: Resolved[], unmerged: Map<GitPath, Stages>): Resolved[] {
  return resolved.filter(({ path, stages }) => JSON.stringify(unmerged.get(path)) === JSON.stringify(stages))
}
