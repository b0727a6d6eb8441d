import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import type { Clock } from "@switchyard/core/stream"
import { isTaskBranch, taskBranch } from "@switchyard/core/worktrees/names"
import type { MergeRequest, MergeResult, ResolveRequest } from "@switchyard/core/worktrees/schema"
import type { Worktrees } from "@switchyard/core/worktrees/worktrees"
import { recoverCheckouts } from "./bring-along.ts"
import { listConflicts, oneConflict } from "./conflicts.ts"
import type { Git } from "./git.ts"
import { finishMerge, goOn, type MergeOutcome, makeMerge, revivePending } from "./merge.ts"
import { dropPending, findPending, type Pending, type Place, readWork } from "./place.ts"
import { push } from "./push.ts"
import { branchesOf, headOf, openRepository } from "./repository.ts"
import { withRepository } from "./repository-lock.ts"
import { resolve } from "./resolve.ts"
import { unmergedIn } from "./scratch.ts"
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
}

interface Options {
  signal: AbortSignal
}

/** One session's worktree, on the git of this machine. */
export async function createWorktrees(deps: WorktreesDeps, { signal }: Options): Promise<Worktrees> {
  const { git, clock, folder, sessionId } = deps
  const repository = await openRepository(git, deps.repository, { signal })
  const branch = taskBranch(sessionId)
  const place: Place = {
    git,
    clock,
    repository,
    folder,
    tree: join(folder, "tree"),
    scratch: join(folder, "merge"),
    branch,
  }

  /**
   * One at a time in a repository, and never before what a dead process left half done is put right. If that was a merge
   * of ours that is made after all, the task is told of it.
   */
  function alone<T>(task: (made: MergeResult | undefined) => Promise<T>, options: Options): Promise<T> {
    const { commonDir } = repository
    const begin = async () => {
      await recoverCheckouts(git, repository, options)
      return task(await revived(place, options))
    }
    return sayingWhenFull(withRepository({ commonDir, clock }, begin, options))
  }

  const merging = (task: () => Promise<MergeOutcome>, options: Options) =>
    alone(async (made) => made ?? conclude(place, await task(), options), options)

  return {
    async create(request, options) {
      await alone(() => createWork(place, request, options), options)
      return statusOf(place, options)
    },
    status: (options) => statusOf(place, options),
    diff: (query, options) => summarise(place, query, options),
    fullDiff: (query, options) => fullDiff(place, query, options),
    branches: (options) => branchesOf(git, repository, options),
    async commit(message, options) {
      const { head, isNew } = await commitWork(place, message, options)
      return isNew ? head : null
    },
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
      return push(git, repository, { remote, branch: pushed }, options)
    },
  }
}

async function revived(place: Place, options: Options): Promise<MergeResult | undefined> {
  const commit = await revivePending(place, options)
  const pending = await findPending(place)
  if (!commit || !pending) return undefined
  return conclude(place, { status: "merged", pending, commit, checkout: null }, options)
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

type Begin = Omit<MergeRequest, "commit_message"> & {
  commit_message?: string | null
  direction: Pending["direction"]
}

async function begin(place: Place, request: Begin, { signal }: Options): Promise<MergeOutcome> {
  const { git, repository } = place
  if (await findPending(place)) {
    throw new AppError("worktree_conflict", "A merge waits for its conflicts to be resolved: complete or abort it.")
  }
  const work = await readWork(place)
  const target = request.target_branch ?? work.target_branch
  if (!target) throw new AppError("invalid_request", "There is no branch to merge with: name one.")
  if (isTaskBranch(target)) throw new AppError("invalid_request", "That branch is a session's own.", { branch: target })
  const targetHead = await headOf(git, repository, target, { signal })
  const { head } = await commitWork(place, `Work of session ${place.branch.split("/")[1]}`, { signal })
  const direction = request.direction
  const [ours, theirs] = direction === "merge" ? [targetHead, head] : [head, targetHead]
  const pending: Pending = {
    direction,
    target_branch: target,
    ours,
    theirs,
    message: "",
    strategy: request.strategy,
    delete_worktree: request.delete_worktree,
    notes: [],
    resolved: [],
    commit: null,
  }
  const message = request.commit_message?.trim()
    ? request.commit_message
    : await makeMessage(place, pending, { signal })
  return makeMerge(place, { ...pending, message }, { signal })
}

/** What the commits say that are merged: the one, or the first and then all of them. */
async function makeMessage(place: Place, { direction, ours, theirs, target_branch }: Pending, { signal }: Options) {
  if (direction === "update") return `Merge branch '${target_branch}' into ${place.branch}\n`
  const args = ["log", "--no-merges", "--reverse", "--format=%s", "--max-count=50", `${ours}..${theirs}`]
  const { stdout } = await place.git(args, { cwd: place.repository.folder, signal })
  const [first = `Merge ${place.branch}`, ...more] = stdout.toString().split("\n").filter(Boolean)
  return more.length === 0 ? `${first}\n` : `${first}\n\n${[first, ...more].map((each) => `* ${each}`).join("\n")}\n`
}

async function waiting(place: Place): Promise<Pending> {
  const pending = await findPending(place)
  if (!pending) throw new AppError("worktree_conflict", "No merge waits for its conflicts to be resolved.")
  return pending
}

async function resolveSome(place: Place, request: ResolveRequest, options: Options): Promise<MergeOutcome> {
  const pending = await resolve(place, await waiting(place), request, options)
  const left = (await unmergedIn(place, options)).size
  const goesOn = "use_incoming" in request || request.complete
  return left === 0 && goesOn ? complete(place, pending, options) : { status: "conflicts", pending }
}

async function complete(place: Place, pending: Pending, { signal }: Options): Promise<MergeOutcome> {
  const open = await listConflicts(place, pending, { signal })
  if (open.unresolved > 0) {
    const files = open.files.filter(({ resolved }) => !resolved).map(({ file_path }) => file_path)
    throw new AppError("worktree_conflict", "Some conflicts aren't resolved yet.", { files })
  }
  return (await finishMerge(place, pending, { signal })) ?? makeMerge(place, pending, { signal })
}

/** What there is to say of a merge, once all that follows from it is done. */
async function conclude(place: Place, outcome: MergeOutcome, options: Options): Promise<MergeResult> {
  const { status, pending } = outcome
  const { direction, target_branch, delete_worktree } = pending
  const into = direction === "merge" ? target_branch : "the work"
  const said = {
    success: false,
    status,
    target_branch,
    commit: null,
    checkout: null,
    worktree_deleted: false,
    conflicts: null,
  }
  if (status === "nothing_to_merge") return { ...said, message: "No changes to merge." }
  if (status === "conflicts") {
    const { files, unresolved } = await listConflicts(place, pending, options)
    const message =
      unresolved > 0 ? `${unresolved} of ${files.length} conflicts to resolve.` : "All conflicts are resolved."
    return { ...said, message, conflicts: files }
  }
  const { commit, checkout } = outcome
  const deletes = direction === "merge" && delete_worktree
  if (deletes) await removeWork(place, options)
  else {
    await goOn(place, pending, commit, options)
    await dropPending(place, options)
  }
  const message = `Merged into ${into}.`
  return { ...said, success: true, message, commit, checkout, worktree_deleted: deletes }
}

async function abort(place: Place, options: Options): Promise<MergeResult> {
  const pending = await findPending(place)
  const said = { commit: null, checkout: null, worktree_deleted: false, conflicts: null }
  if (!pending) {
    return {
      ...said,
      success: false,
      status: "no_merge",
      message: "No merge in progress to abort.",
      target_branch: null,
    }
  }
  await dropPending(place, options)
  const { target_branch } = pending
  return { ...said, success: true, status: "aborted", message: "The merge is aborted.", target_branch }
}
