import { type GitPath, toText } from "../plumbing/git-path.ts"
import { commitTree, OURS } from "../plumbing/snapshot.ts"
import type { Worktree } from "../worktrees/worktree-record.ts"
import { readWorkSnapshot } from "./work-snapshot.ts"

interface Options {
  signal: AbortSignal
}

/**
 * The files in which two saved works of one repository would conflict. Touches no checkout and no branch. Undefined where the
 * repository doesn't have one of them.
 */
export async function findCollisions(
  worktree: Worktree,
  saves: [string, string],
  options: Options,
): Promise<string[] | undefined> {
  const [one, other] = await Promise.all(saves.map((tip) => commitOf(worktree, tip, options)))
  if (one === undefined || other === undefined) return undefined
  const { git, repository } = worktree
  // Files that a session's own worktrees begin with need no common history.
  const merging = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "--allow-unrelated-histories", "-z"]
  const { code, stdout } = await git([...merging, one, other], { cwd: repository.folder, ...options, accept: [1] })
  if (code === 0) return []
  // The first field is the tree of the merge.
  const [, ...paths] = stdout.toString("latin1").split("\0").filter(Boolean)
  return [...new Set(paths.map((path) => toText(path as GitPath)))].sort()
}

/** The work as a commit on top of its last one, with what isn't committed yet. */
async function commitOf(worktree: Worktree, tip: string, options: Options): Promise<string | undefined> {
  const found = await readWorkSnapshot(worktree, tip, options)
  if (!found) return undefined
  const { git, repository } = worktree
  const call = { cwd: repository.folder, ...options }
  const tree = (await git(["rev-parse", "--verify", `${tip}:files`], call)).stdout.toString().trim()
  const commit = { tree, parents: [found.head], message: "Saved work", author: OURS }
  return commitTree(git, repository.folder, commit, options)
}
