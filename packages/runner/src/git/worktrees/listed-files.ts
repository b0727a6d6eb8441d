import type { FilesQuery, WorktreeFiles } from "@switchyard/core/files/worktrees/files-schema"
import { matchingPaths } from "@switchyard/core/files/worktrees/matching-paths"
import { fieldsOf, toText } from "../plumbing/git-path.ts"
import { listAll } from "../plumbing/snapshot.ts"
import { findWork, type Worktree } from "./worktree-record.ts"

/**
 * Lists the worktree's files, except those that git ignores. If the worktree doesn't exist yet, lists the files that it
 * would start with.
 */
export async function listFiles(
  worktree: Worktree,
  { q, limit }: FilesQuery,
  { signal }: { signal: AbortSignal },
): Promise<WorktreeFiles> {
  const { git, tree, repository } = worktree
  const isThere = (await findWork(worktree)) !== undefined
  const listed = isThere ? await listAll(git, tree, { signal }) : await committed()
  const paths = listed.map(toText)
  return { files: matchingPaths(paths, q, limit), total: paths.length }

  async function committed() {
    // A repository without commits has no HEAD.
    const call = { cwd: repository.folder, accept: [128], signal }
    return fieldsOf((await git(["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"], call)).stdout)
  }
}
