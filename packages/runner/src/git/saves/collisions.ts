import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { asInput, fieldsOf, type GitPath, toText } from "../plumbing/git-path.ts"
import { commitTree, OURS } from "../plumbing/snapshot.ts"
import type { Worktree } from "../worktrees/worktree-record.ts"
import { readWorkSnapshot } from "./work-snapshot.ts"

interface Options {
  signal: AbortSignal
}

/**
 * Finds the files that conflict between the work of two saves. Returns undefined if the repository doesn't contain both
 * saves.
 */
export async function findCollisions(
  worktree: Worktree,
  saves: [string, string],
  options: Options,
): Promise<string[] | undefined> {
  const [one, other] = await Promise.all(saves.map((tip) => commitOf(worktree, tip, options)))
  if (one === undefined || other === undefined) return undefined
  const { code, stdout } = await mergeTree(worktree, [one, other], options)
  if (code === 0) return []
  // Skip the first field, which is the merged tree.
  const [, ...paths] = stdout.toString("latin1").split("\0").filter(Boolean)
  return [...new Set(paths.map((path) => toText(path as GitPath)))].sort()
}

/**
 * Merges two commits using the first commit's attributes. Runs in a temporary folder, so that anything left behind by
 * merge drivers is removed with the folder.
 */
async function mergeTree({ git, folder, repository }: Worktree, commits: [string, string], options: Options) {
  const place = join(folder, `collisions-${randomUUID()}`)
  const [objects, work] = [join(place, "objects"), join(place, "work")]
  const env = {
    GIT_DIR: repository.commonDir,
    GIT_WORK_TREE: work,
    GIT_INDEX_FILE: join(place, "index"),
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository.commonDir, "objects"),
  }
  const call = { cwd: work, writes: [place], env, ...options }
  try {
    for (const made of [objects, work]) await git.files.makeFolder(made)
    await git(["read-tree", commits[0]], call)
    const { stdout } = await git(["ls-files", "-z"], call)
    const attributes = fieldsOf(stdout).filter((path) => /(?:^|\/)\.gitattributes$/.test(path))
    await git(["checkout-index", "--quiet", "-z", "--stdin"], { ...call, input: asInput(attributes) })
    // In a session without a repository, worktrees may have no common history.
    const merging = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "--allow-unrelated-histories", "-z"]
    return await git([...merging, ...commits], { ...call, accept: [1] })
  } finally {
    await git.files.remove(place)
  }
}

/** Commits the work's uncommitted changes on top of its last commit. */
async function commitOf(worktree: Worktree, tip: string, options: Options): Promise<string | undefined> {
  const found = await readWorkSnapshot(worktree, tip, options)
  if (!found) return undefined
  const { git, repository } = worktree
  const call = { cwd: repository.folder, ...options }
  const tree = (await git(["rev-parse", "--verify", `${tip}:files`], call)).stdout.toString().trim()
  const commit = { tree, parents: [found.head], message: "Saved work", author: OURS }
  return commitTree(git, repository.folder, commit, options)
}
