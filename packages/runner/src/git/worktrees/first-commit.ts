import { join } from "node:path"
import type { Git } from "../plumbing/git.ts"
import { findHead, line, type Repository } from "../plumbing/repository.ts"
import { commitTree, gitDirOf, writeEmptyTree } from "../plumbing/snapshot.ts"

interface Options {
  signal: AbortSignal
}

/** Ref of the empty commit that work starts from if the repository has no commits. */
const FIRST = "refs/switchyard/first"

/** Returns the branch checked out in a repository, if that branch has no commit yet. */
export async function unbornBranch(git: Git, repository: Repository, options: Options): Promise<string | undefined> {
  const call = { cwd: repository.folder, ...options }
  const branch = await line(git, ["symbolic-ref", "--quiet", "--short", "HEAD"], call)
  if (branch === undefined || (await findHead(git, repository, branch, options))) return undefined
  return branch
}

/**
 * Returns the empty commit that work starts from if the repository has no commits. All sessions share this commit,
 * because their branches need a common history. The repository's own branch stays unborn until a merge.
 */
export async function firstCommit(git: Git, { folder: cwd }: Repository, options: Options): Promise<string> {
  const call = { cwd, ...options }
  const found = await line(git, ["rev-parse", "--verify", "--quiet", `${FIRST}^{commit}`], call)
  if (found) return found
  const tree = await writeEmptyTree(git, cwd, options)
  const commit = await commitTree(git, cwd, { tree, parents: [], message: "Initial commit\n" }, options)
  await git(["update-ref", FIRST, commit], call)
  return commit
}

/**
 * Creates the unborn branch at the first commit, so that work can be merged into it. Doesn't touch files or staged
 * entries.
 */
export async function createUnborn(
  git: Git,
  repository: Repository,
  branch: string,
  options: Options,
): Promise<string> {
  const call = { cwd: repository.folder, ...options }
  const commit = await firstCommit(git, repository, options)
  await git(["update-ref", "-m", "switchyard: initial commit", `refs/heads/${branch}`, commit, "0".repeat(40)], call)
  const isBare = (await line(git, ["rev-parse", "--is-bare-repository"], call)) === "true"
  const gitDir = isBare ? undefined : await gitDirOf(git.files, repository.folder)
  // Create an index if there is none. Without an index, git treats all files as not checked out.
  if (gitDir && !(await git.files.exists(join(gitDir, "index")))) await git(["read-tree", commit], call)
  return commit
}
