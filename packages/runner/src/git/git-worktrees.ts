import { createHash } from "node:crypto"
import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import type { WorktreeAnswer, WorktreeChange } from "@switchyard/core/files/worktrees/command-schema"
import type { MergeResult, PushRequest } from "@switchyard/core/files/worktrees/merge-schema"
import type { Deleted, Reset } from "@switchyard/core/files/worktrees/schema"
import type { CommandOptions, Worktrees } from "@switchyard/core/files/worktrees/worktrees"
import type { Clock } from "@switchyard/core/time"
import { recoverCheckouts } from "./checkout/update-checkout.ts"
import { listConflicts, oneConflict } from "./merge/conflicts.ts"
import {
  abortMerge,
  completeMerge,
  concludeMerge,
  finishInterrupted,
  repeatedMerge,
  requirePending,
  resolveSome,
  resultOfCommand,
  startMerge,
} from "./merge/merge-commands.ts"
import type { MergeOutcome } from "./merge/merge-engine.ts"
import { isUndone, undoMerge } from "./merge/undo-merge.ts"
import type { Git } from "./plumbing/git.ts"
import { branchesOf, headOf, type KnownRepositories, openRepository } from "./plumbing/repository.ts"
import { TURN_PATIENCE_MS, withRepository } from "./plumbing/repository-lock.ts"
import { push, pushed } from "./remote/push.ts"
import { type Reach, reachDirectly } from "./remote/remotes.ts"
import { describeUnpublished, unpublishedRefused, unpublishedSubmodules } from "./worktrees/carry-submodules.ts"
import { commitWork } from "./worktrees/commit-work.ts"
import { listFiles } from "./worktrees/listed-files.ts"
import { markersRefused } from "./worktrees/markers.ts"
import { beginAgentMerge, resumeAgentMerge } from "./worktrees/merge-for-agent.ts"
import { markedFiles, requireResolved } from "./worktrees/unresolved.ts"
import { fullDiff, reviewDiff, summarise } from "./worktrees/work-diff.ts"
import { baseFor, createWork, removeWork, resetWork, statusOf } from "./worktrees/worktree-lifecycle.ts"
import {
  dropPending,
  findMerged,
  findPending,
  findWork,
  readAbout,
  type Worktree,
} from "./worktrees/worktree-record.ts"

export interface WorktreesDeps {
  git: Git
  clock: Clock
  /** The repository's folder, which may be a bare repository. */
  repository: string
  /** Folder of this session, outside the repository. */
  folder: string
  /** Prefix of the runner's own records of the worktree, in a folder that agents can't write to. */
  notes: string
  /** Folder for repository locks and journals, which only the runner can write to. */
  journals: string
  /** The work's branch. */
  branch: string
  /** Session id, used in the names of kept work. */
  session?: string
  /** Name of the worktree within the session. */
  name?: string
  /** Retention of kept work; 30 days by default. */
  keptForMs?: number | undefined
  /** Prepares the commit that a new worktree starts from, in the session's own repository. */
  begin?: (worktree: Worktree, options: Options) => Promise<void>
  /** Called before the worktree's folder is removed, while its files still exist. */
  beforeRemoval?: (worktree: Worktree, options: Options) => Promise<void>
  /** True if the repository is this session's own clone. */
  isClone?: boolean
  /** True if the repository belongs to the session: a clone, or created from its files. */
  isOwn?: boolean
  /** Connects to the repository's remote if git can't do so directly. */
  reach?: Reach
  known?: KnownRepositories
}

interface Options {
  signal: AbortSignal
}

/** Locates a session's worktree of a repository, whether or not it exists. */
export async function openWorktree(deps: WorktreesDeps, { signal }: Options): Promise<Worktree> {
  const { git, clock, folder, notes, branch } = deps
  const repository = await openRepository(git, deps.repository, { signal, known: deps.known })
  const journal = createHash("sha256").update(repository.commonDir).digest("hex").slice(0, 24)
  const theirs = (await readAbout({ notes }))?.taken_over
  return {
    ...{ git, clock, folder, notes, session: deps.session, branch: theirs?.branch ?? branch },
    ...{ name: deps.name, keptForMs: deps.keptForMs },
    repository: { ...repository, journals: join(deps.journals, journal) },
    tree: theirs?.tree ?? join(folder, "tree"),
    ...(theirs && { isTheirs: { branch: true, tree: theirs.tree !== null } }),
    scratch: join(folder, "merge"),
    isClone: deps.isClone ?? false,
    isOwn: deps.isOwn ?? false,
  }
}

/** Creates the worktrees of one session, using this machine's git. */
export async function createWorktrees(deps: WorktreesDeps, { signal }: Options): Promise<Worktrees> {
  const found = await openWorktree(deps, { signal })
  const { beforeRemoval } = deps
  const withHook = (of: Worktree): Worktree =>
    beforeRemoval ? { ...of, beforeRemoval: (options: Options) => beforeRemoval(of, options) } : of
  let worktree = withHook(found)
  const { git, clock, repository } = worktree

  /** Runs one task at a time in a repository, after recovery. Passes the result of a recovered merge to the task. */
  function alone<T>(
    task: (made: Awaited<ReturnType<typeof finishInterrupted>>) => Promise<T>,
    options: CommandOptions,
    patienceMs?: number,
  ): Promise<T> {
    const { journals } = repository
    const putRight = async () => {
      await recoverCheckouts(git, repository, options)
      return task(await finishInterrupted(worktree, options))
    }
    return sayingWhenFull(withRepository({ journals, clock, patienceMs }, putRight, options))
  }

  const merging = (task: () => Promise<MergeOutcome>, options: CommandOptions) =>
    alone(async (made) => made?.result ?? concludeMerge(worktree, await task(), options), options)

  return {
    create: ({ reset = false, ...request }, options) =>
      alone(
        async () => {
          const standing = await statusOf(worktree, options)
          if (standing.exists && !reset) return { ...standing, created: false }
          await deps.begin?.(worktree, options)
          await createWork(worktree, request, options)
          // The branch and its checkout may now belong to a person, so locate them again.
          worktree = withHook(await openWorktree(deps, options))
          return { ...(await statusOf(worktree, options)), created: true }
        },
        options,
        TURN_PATIENCE_MS,
      ),
    status: (options) => statusOf(worktree, options),
    diff: (query, options) => summarise(worktree, query, options),
    fullDiff: (query, options) => fullDiff(worktree, query, options),
    review: (query, options) => reviewDiff(worktree, query, options),
    branches: (options) => branchesOf(git, repository, options),
    files: (query, options) => listFiles(worktree, query, options),
    commit: (message, options) =>
      alone(
        async () => {
          const { head, isNew } = await commitWork(worktree, message, options)
          return isNew ? head : null
        },
        options,
        TURN_PATIENCE_MS,
      ),
    merge: (request, options) =>
      alone(async (made) => {
        const answer = made?.result ?? (await repeatedMerge(worktree, request, options))
        if (answer) return answer
        return concludeMerge(worktree, await startMerge(worktree, { ...request, direction: "merge" }, options), options)
      }, options),
    update({ target_branch }, options) {
      const request = { target_branch, strategy: "merge", delete_worktree: false, direction: "update" } as const
      return merging(() => startMerge(worktree, request, options), options)
    },
    async conflicts(options) {
      const pending = await requirePending(worktree)
      const { direction, target_branch, notes } = pending
      return { direction, target_branch, notes, ...(await listConflicts(worktree, pending, options)) }
    },
    conflict: async (path, options) => oneConflict(worktree, await requirePending(worktree), path, options),
    resolve: (request, options) => merging(() => resolveSome(worktree, request, options), options),
    complete: ({ run_hooks, allow_markers }, options) =>
      merging(async () => {
        const pending = await requirePending(worktree)
        const consents = {
          run_hooks: run_hooks ?? pending.run_hooks,
          allow_markers: allow_markers ?? pending.allow_markers,
        }
        return completeMerge(worktree, { ...pending, ...consents }, options)
      }, options),
    mergeForAgent: (branch, options) =>
      alone(async () => {
        if (await findPending(worktree))
          throw new AppError(
            "worktree_conflict",
            "A merge is waiting for its conflicts to be resolved. Complete or abort it first.",
          )
        const begun = await resumeAgentMerge(worktree, options)
        if (begun) return begun
        const { head } = await commitWork(worktree, "Work before the merge\n", options)
        return beginAgentMerge(worktree, { branch, head }, options)
      }, options),
    abort: (options) => alone(() => abortMerge(worktree, options), options),
    undo: (request, options) => alone(() => undoMerge(worktree, request, options), options),
    reset: (options) =>
      alone(async () => {
        await dropPending(worktree, options)
        const kept = await resetWork(worktree, options)
        return { ...RESET, ...(kept && { kept }) }
      }, options),
    remove: ({ discard }, options) =>
      alone(async () => {
        let answer = DELETED
        const deleted = await removeWork(worktree, {
          ...options,
          discard,
          onGone(kept) {
            if (kept) answer = { ...DELETED, kept }
            return options.onMade?.(answer, options.commandId)
          },
        })
        return deleted ? answer : { deleted, message: "There was no worktree." }
      }, options),
    async push(request, options) {
      const asked = await pushOf(request)
      if (asked.branch === worktree.branch && (await findWork(worktree))) await requireClean(request, options)
      const { branch, remote } = asked
      const commit = await headOf(git, repository, branch, options)
      const unpublished = await unpublishedSubmodules(worktree, { commit, remote }, options)
      if (unpublished.length > 0 && !request.allow_unpublished) throw unpublishedRefused(unpublished)
      const done = await push(git, repository, asked, options)
      return unpublished.length > 0 ? { ...done, warning: describeUnpublished(unpublished) } : done
    },
    async recover(command, options) {
      const merged = await alone(async (made) => {
        if (made?.command === options.commandId) return made.result
        return command.command === "complete" ? undefined : resultOfCommand(worktree, options.commandId, options)
      }, options)
      return merged ?? evidenceOf(command, options)
    },
  }

  /** Finds evidence that a command was executed, for commands that left no record. */
  async function evidenceOf(command: WorktreeChange, options: Options): Promise<WorktreeAnswer | undefined> {
    const status = await statusOf(worktree, options)
    switch (command.command) {
      case "create": {
        if (!status.exists || !command.reset) return status.exists ? { ...status, created: false } : undefined
        const isNew = !status.has_changes && status.base_commit === (await baseFor(worktree, command, options))
        return isNew ? { ...status, created: true } : undefined
      }
      case "reset":
        return status.exists && !status.has_changes ? RESET : undefined
      case "delete":
        if (status.exists) return undefined
        await alone(() => removeWork(worktree, options), options)
        return DELETED
      case "abort":
        return status.merge ? undefined : ABORTED
      case "undo":
        // Undoing again also completes the remaining steps.
        if (!(await isUndone(worktree, command, options))) return undefined
        return alone(() => undoMerge(worktree, command, options), options)
      case "push":
        return pushed(git, repository, await pushOf(command), options)
    }
    return undefined
  }

  /** Throws if the work has conflicts or files with conflict markers. */
  async function requireClean({ allow_markers }: PushRequest, options: Options): Promise<void> {
    await requireResolved(worktree, options)
    const marked = allow_markers ? [] : await markedFiles(worktree, options)
    if (marked.length > 0) throw markersRefused(marked)
  }

  async function pushOf({ branch, remote }: PushRequest) {
    const work = await findWork(worktree)
    const named = branch ?? (work ? work.target_branch : (await findMerged(worktree))?.target_branch)
    if (!named) throw new AppError("invalid_request", "There is no branch to push. Specify one.")
    return { remote, branch: named, reach: deps.reach ?? reachDirectly }
  }
}

const RESET: Reset = { reset: true, message: "The worktree is back at its starting commit." }
const ABORTED: MergeResult = {
  success: true,
  status: "aborted",
  message: "The merge was aborted.",
  target_branch: null,
  commit: null,
  checkout: null,
  worktree_deleted: false,
  conflicts: null,
}
const DELETED: Deleted = { deleted: true, message: "The worktree was deleted." }

/** Reports a full disk if the runner's own files don't fit. If git's files don't fit, git reports it itself. */
async function sayingWhenFull<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const isFull = ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "")
    throw isFull ? new AppError("storage_unavailable", "The disk is full.", {}, { cause: error }) : error
  }
}
