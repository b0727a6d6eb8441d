import { AppError } from "@switchyard/core/errors"
import type { PushRequest, PushResult } from "@switchyard/core/files/worktrees/merge-schema"
import { headOf } from "../plumbing/repository.ts"
import { type Push, push } from "../remote/push.ts"
import type { Reach } from "../remote/remotes.ts"
import { describeUnpublished, unpublishedRefused, unpublishedSubmodules } from "./carry-submodules.ts"
import { markersRefused } from "./markers.ts"
import { requireReadOnly, rulesCommit } from "./repository-rules.ts"
import { markedFiles, requireResolved } from "./unresolved.ts"
import { findMerged, findWork, readWork, type Worktree } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/** Pushes the requested branch. By default, pushes the branch that the work was merged into, or will be. */
export async function pushWork(
  worktree: Worktree,
  { request, reach }: { request: PushRequest; reach: Reach },
  options: Options,
): Promise<PushResult> {
  const { git, repository } = worktree
  const asked = await pushOf(worktree, { request, reach })
  if (asked.branch === worktree.branch && (await findWork(worktree))) await requireClean(worktree, request, options)
  const { branch, remote } = asked
  const commit = await headOf(git, repository, branch, options)
  const unpublished = await unpublishedSubmodules(worktree, { commit, remote }, options)
  if (unpublished.length > 0 && !request.allow_unpublished) throw unpublishedRefused(unpublished)
  const done = await push(git, repository, asked, options)
  return unpublished.length > 0 ? { ...done, warning: describeUnpublished(unpublished) } : done
}

/**
 * Returns the branch and remote for a push request. Throws `invalid_request` if the request doesn't name a branch and
 * the work has no target branch.
 */
export async function pushOf(
  worktree: Worktree,
  { request: { branch, remote }, reach }: { request: PushRequest; reach: Reach },
): Promise<Push> {
  const work = await findWork(worktree)
  const named = branch ?? (work ? work.target_branch : (await findMerged(worktree))?.target_branch)
  if (!named) throw new AppError("invalid_request", "There is no branch to push. Specify one.")
  return { remote, branch: named, reach }
}

/** Throws if the work has unresolved conflicts, files with conflict markers, or changes to read-only files. */
async function requireClean(worktree: Worktree, { allow_markers }: PushRequest, options: Options): Promise<void> {
  await requireResolved(worktree, options)
  const { git, repository, branch, tree: cwd } = worktree
  const [{ base_commit: from }, commit] = await Promise.all([readWork(worktree), rulesCommit(worktree)])
  const to = await headOf(git, repository, branch, options)
  await requireReadOnly(worktree, { commit, from, to, cwd }, options)
  const marked = allow_markers ? [] : await markedFiles(worktree, options)
  if (marked.length > 0) throw markersRefused(marked)
}
