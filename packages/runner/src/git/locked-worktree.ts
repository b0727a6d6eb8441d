import { AppError } from "@switchyard/core/errors"
import type { MergeResult } from "@switchyard/core/files/worktrees/merge-schema"
import type { CommandOptions } from "@switchyard/core/files/worktrees/worktrees"
import { recoverCheckouts } from "./checkout/update-checkout.ts"
import { concludeMerge, finishInterrupted } from "./merge/merge-commands.ts"
import type { MergeOutcome } from "./merge/merge-engine.ts"
import { withRepository } from "./plumbing/repository-lock.ts"
import { openWorktree, type WorktreesDeps } from "./worktrees/open-worktree.ts"
import type { Worktree } from "./worktrees/worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/** Interrupted merge that was completed before the task began, because the merge's process had died. */
type RecoveredMerge = Awaited<ReturnType<typeof finishInterrupted>>

/** A session's worktree. Its repository is locked during each change. */
export interface LockedWorktree {
  /** The worktree, as it was last located. */
  readonly current: Worktree
  /** Locates the worktree again and returns it. */
  relocate(options: Options): Promise<Worktree>
  /**
   * Runs a task while no other task runs in the repository. First recovers an interrupted merge, which is passed to the
   * task.
   */
  alone<T>(
    task: (worktree: Worktree, recovered: RecoveredMerge) => Promise<T>,
    options: CommandOptions,
    patienceMs?: number,
  ): Promise<T>
  /**
   * Runs a merge and all steps that follow it, while no other operation runs in the repository. If an interrupted merge
   * is recovered first, returns that merge's result instead.
   */
  merging(task: (worktree: Worktree) => Promise<MergeOutcome>, options: CommandOptions): Promise<MergeResult>
}

export async function openLockedWorktree(deps: WorktreesDeps, opening: Options): Promise<LockedWorktree> {
  const { beforeRemoval } = deps
  let current = await locate(opening)

  async function locate(options: Options): Promise<Worktree> {
    const found = await openWorktree(deps, options)
    return beforeRemoval ? { ...found, beforeRemoval: (removing) => beforeRemoval(found, removing) } : found
  }

  function alone<T>(
    task: (worktree: Worktree, recovered: RecoveredMerge) => Promise<T>,
    options: CommandOptions,
    patienceMs?: number,
  ): Promise<T> {
    const { git, clock, repository } = current
    const putRight = async () => {
      await recoverCheckouts(git, repository, options)
      const recovered = await finishInterrupted(current, options)
      return task(current, recovered)
    }
    return sayingWhenFull(withRepository({ journals: repository.journals, clock, patienceMs }, putRight, options))
  }

  return {
    get current() {
      return current
    },
    async relocate(options) {
      current = await locate(options)
      return current
    },
    alone,
    merging: (task, options) =>
      alone(
        async (worktree, recovered) => recovered?.result ?? concludeMerge(worktree, await task(worktree), options),
        options,
      ),
  }
}

/**
 * Throws `storage_unavailable` if the disk is full and the runner can't write its own files. Git's own errors report a
 * full disk for all other files.
 */
async function sayingWhenFull<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const isFull = ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "")
    throw isFull ? new AppError("storage_unavailable", "The disk is full.", {}, { cause: error }) : error
  }
}
