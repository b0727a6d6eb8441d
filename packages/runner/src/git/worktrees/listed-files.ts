import type { FilesQuery, WorktreeFiles } from "@switchyard/core/files/worktrees/files-schema"
import { matchingPaths } from "@switchyard/core/files/worktrees/matching-paths"
import { fieldsOf, toText } from "../plumbing/git-path.ts"
import { findWork, type Worktree } from "./worktree-record.ts"

/** Lists the files of the worktree that git doesn't ignore, new ones too; where there is none yet, those that it would begin with. */
export async function listFiles(
  worktree: Worktree,
  { q, limit }: FilesQuery,
  { signal }: { signal: AbortSignal },
): Promise<WorktreeFiles> {
  const { git, tree, repository } = worktree
  const isThere = (await findWork(worktree)) !== undefined
  const asked = isThere
    ? ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    : ["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"]
  // A repository without a commit has no HEAD.
  const call = { cwd: isThere ? tree : repository.folder, accept: isThere ? [] : [128], signal }
  const { stdout } = await git(asked, call)
  const paths = fieldsOf(stdout).map(toText)
  return { files: matchingPaths(paths, q, limit), total: paths.length }
}
