import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import type { Clock } from "@switchyard/core/stream"
import { taskBranch } from "@switchyard/core/worktrees/names"
import type { Remote } from "@switchyard/core/worktrees/remote"
import type { MergeResult } from "@switchyard/core/worktrees/schema"
import type { Worktrees } from "@switchyard/core/worktrees/worktrees"
import { recoverCheckouts } from "./bring-along.ts"
import { listConflicts, oneConflict } from "./conflicts.ts"
import type { Git } from "./git.ts"
import type { MergeOutcome } from "./merge.ts"
import { abort, begin, complete, conclude, resolveSome, revived, waiting } from "./merges.ts"
import { dropPending, type Place, readWork } from "./place.ts"
import { push } from "./push.ts"
import { branchesOf, openRepository } from "./repository.ts"
import { withRepository } from "./repository-lock.ts"
import { commitWork, createWork, removeWork, resetWork, statusOf } from "./work.ts"
import { fullDiff, summarise } from "./work-diff.ts"

export interface WorktreesDeps {
  git: Git
  clock: Clock
  /** A folder with the repository, or a bare one. */
  repository: string
  /** Of this session alone, and outside the repository. */
  folder: string
  sessionId: string
  /** Makes what a new worktree begins with, in a repository that is the session's own. */
  begin?: (place: Place, options: Options) => Promise<void>
  /** What opens the repository's remote, where that isn't git's own business. */
  credentials?: Remote["credentials"]
}

interface Options {
  signal: AbortSignal
}

/** Where one session's worktree of a repository is, be it there or not. */
export async function openPlace(deps: WorktreesDeps, { signal }: Options): Promise<Place> {
  const { git, clock, folder, sessionId } = deps
  return {
    ...{ git, clock, folder },
    repository: await openRepository(git, deps.repository, { signal }),
    tree: join(folder, "tree"),
    scratch: join(folder, "merge"),
    branch: taskBranch(sessionId),
  }
}

/** One session's worktree, on the git of this machine. */
export async function createWorktrees(deps: WorktreesDeps, { signal }: Options): Promise<Worktrees> {
  const place = await openPlace(deps, { signal })
  const { git, clock, repository } = place

  /**
   * One at a time in a repository, and never before what a dead process left half done is put right. If that was a merge
   * of ours that is made after all, the task is told of it.
   */
  function alone<T>(task: (made: MergeResult | undefined) => Promise<T>, options: Options): Promise<T> {
    const { commonDir } = repository
    const putRight = async () => {
      await recoverCheckouts(git, repository, options)
      return task(await revived(place, options))
    }
    return sayingWhenFull(withRepository({ commonDir, clock }, putRight, options))
  }

  const merging = (task: () => Promise<MergeOutcome>, options: Options) =>
    alone(async (made) => made ?? conclude(place, await task(), options), options)

  return {
    create: ({ reset = false, ...request }, options) =>
      alone(async () => {
        const standing = await statusOf(place, options)
        if (standing.exists && !reset) return { ...standing, created: false }
        await deps.begin?.(place, options)
        await createWork(place, request, options)
        return { ...(await statusOf(place, options)), created: true }
      }, options),
    status: (options) => statusOf(place, options),
    diff: (query, options) => summarise(place, query, options),
    fullDiff: (query, options) => fullDiff(place, query, options),
    branches: (options) => branchesOf(git, repository, options),
    commit: (message, options) =>
      alone(async () => {
        const { head, isNew } = await commitWork(place, message, options)
        return isNew ? head : null
      }, options),
    merge: (request, options) => merging(() => begin(place, { ...request, direction: "merge" }, options), options),
    update({ target_branch }, options) {
      const request = { target_branch, strategy: "merge", delete_worktree: false, direction: "update" } as const
      return merging(() => begin(place, request, options), options)
    },
    async conflicts(options) {
      const pending = await waiting(place)
      const { direction, target_branch, notes } = pending
      return { direction, target_branch, notes, ...(await listConflicts(place, pending, options)) }
    },
    conflict: async (path, options) => oneConflict(place, await waiting(place), path, options),
    resolve: (request, options) => merging(() => resolveSome(place, request, options), options),
    complete: (options) => merging(async () => complete(place, await waiting(place), options), options),
    abort: (options) => alone(() => abort(place, options), options),
    reset: (options) =>
      alone(async () => {
        await dropPending(place, options)
        await resetWork(place, options)
        return { reset: true as const, message: "The worktree is where it began." }
      }, options),
    remove: (options) =>
      alone(async () => {
        const deleted = await removeWork(place, options)
        return { deleted, message: deleted ? "The worktree is deleted." : "There was no worktree." }
      }, options),
    async push({ branch, remote }, options) {
      const pushed = branch ?? (await readWork(place)).target_branch
      if (!pushed) throw new AppError("invalid_request", "There is no branch to push.")
      return push(git, repository, { remote, branch: pushed, credentials: deps.credentials }, options)
    },
  }
}

/** Git says so itself; here it is our own files that find no room. */
async function sayingWhenFull<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const isFull = ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "")
    throw isFull ? new AppError("storage_unavailable", "The disk is full.", {}, { cause: error }) : error
  }
}
