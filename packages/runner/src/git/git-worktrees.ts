import { AppError } from "@switchyard/core/errors"
import type { CreateWorktree } from "@switchyard/core/files/worktrees/schema"
import type { PinBase, Worktrees } from "@switchyard/core/files/worktrees/worktrees"
import { DELETED, evidenceOf, RESET } from "./command-evidence.ts"
import { openLockedWorktree } from "./locked-worktree.ts"
import { listConflicts, oneConflict } from "./merge/conflicts.ts"
import {
  abortMerge,
  completeMerge,
  concludeMerge,
  repeatedMerge,
  requirePending,
  resolveSome,
  resultOfCommand,
  startMerge,
} from "./merge/merge-commands.ts"
import { undoMerge } from "./merge/undo-merge.ts"
import { branchesAmong, branchesOf, listBranches } from "./plumbing/refs.ts"
import { TURN_PATIENCE_MS } from "./plumbing/repository-lock.ts"
import { reachDirectly } from "./remote/remotes.ts"
import { commitWork } from "./worktrees/commit-work.ts"
import { listFiles } from "./worktrees/listed-files.ts"
import { beginAgentMerge, resumeAgentMerge } from "./worktrees/merge-for-agent.ts"
import type { WorktreesDeps } from "./worktrees/open-worktree.ts"
import { pushWork } from "./worktrees/push-work.ts"
import { fullDiff, reviewDiff, summarise } from "./worktrees/work-diff.ts"
import { glanceAt } from "./worktrees/work-stamp.ts"
import { createWork, removeWork, resetWork } from "./worktrees/worktree-lifecycle.ts"
import { dropPending, findPending, findWork, type Worktree } from "./worktrees/worktree-record.ts"
import { statusOf } from "./worktrees/worktree-status.ts"

/** Creates the worktrees of one session, using this machine's git. */
export async function createWorktrees(deps: WorktreesDeps, opening: { signal: AbortSignal }): Promise<Worktrees> {
  const { reach = reachDirectly } = deps
  const located = await openLockedWorktree(deps, opening)
  const { alone, merging } = located

  const patiently: typeof alone = (task, options) => alone(task, options, TURN_PATIENCE_MS)

  async function ensure(
    worktree: Worktree,
    { reset = false, ...request }: CreateWorktree & { reset?: boolean },
    options: { signal: AbortSignal; pinBase?: PinBase | undefined },
  ): Promise<{ worktree: Worktree; created: boolean }> {
    if (!reset && (await findWork(worktree))) return { worktree, created: false }
    await deps.begin?.(worktree, options)
    await createWork(worktree, request, options)
    // Locate the worktree again, because it may now use a user's branch and checkout.
    return { worktree: await located.relocate(options), created: true }
  }

  return {
    create: (request, options) =>
      patiently(async (found) => {
        const { worktree, created } = await ensure(found, request, options)
        return { ...(await statusOf(worktree, options)), created }
      }, options),
    open: (request, options) =>
      patiently(async (found) => {
        const { worktree, created } = await ensure(found, request, options)
        return { path: worktree.tree, created }
      }, options),
    status: (options) => statusOf(located.current, options),
    glance: (options) => glanceAt(located.current, options),
    async overview({ withDiff, committed, ...options }) {
      const { git, repository } = located.current
      const refs = await listBranches(git, repository, options)
      const status = await statusOf(located.current, { refs, committed, ...options })
      const [branches, diff] = await Promise.all([
        branchesAmong(git, repository, refs, options),
        withDiff && status.exists ? fullDiff(located.current, {}, { committed, ...options }) : null,
      ])
      return { status, branches, diff }
    },
    diff: (query, options) => summarise(located.current, query, options),
    fullDiff: (query, options) => fullDiff(located.current, query, options),
    review: (query, options) => reviewDiff(located.current, query, options),
    branches: (options) => branchesOf(located.current.git, located.current.repository, options),
    files: (query, options) => listFiles(located.current, query, options),
    commit: (message, { onStaged, ...options }) =>
      patiently(async (worktree) => {
        const { head, isNew, ...staged } = await commitWork(worktree, message, options)
        onStaged?.(staged)
        return isNew ? head : null
      }, options),
    merge: (request, options) =>
      alone(async (worktree, recovered) => {
        const answer = recovered?.result ?? (await repeatedMerge(worktree, request, options))
        if (answer) return answer
        return concludeMerge(worktree, await startMerge(worktree, { ...request, direction: "merge" }, options), options)
      }, options),
    update({ target_branch }, options) {
      const request = { target_branch, strategy: "merge", delete_worktree: false, direction: "update" } as const
      return merging((worktree) => startMerge(worktree, request, options), options)
    },
    async conflicts(options) {
      const pending = await requirePending(located.current)
      const { direction, target_branch, notes } = pending
      return { direction, target_branch, notes, ...(await listConflicts(located.current, pending, options)) }
    },
    conflict: async (path, options) =>
      oneConflict(located.current, await requirePending(located.current), path, options),
    resolve: (request, options) => merging((worktree) => resolveSome(worktree, request, options), options),
    complete: ({ run_hooks, allow_markers }, options) =>
      merging(async (worktree) => {
        const pending = await requirePending(worktree)
        const consents = {
          run_hooks: run_hooks ?? pending.run_hooks,
          allow_markers: allow_markers ?? pending.allow_markers,
        }
        return completeMerge(worktree, { ...pending, ...consents }, options)
      }, options),
    mergeForAgent: (branch, options) =>
      alone(async (worktree) => {
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
    abort: (options) => alone((worktree) => abortMerge(worktree, options), options),
    undo: (request, options) => alone((worktree) => undoMerge(worktree, request, options), options),
    reset: (options) =>
      alone(async (worktree) => {
        await dropPending(worktree, options)
        const kept = await resetWork(worktree, options)
        return { ...RESET, ...(kept && { kept }) }
      }, options),
    remove: ({ discard }, options) =>
      alone(async (worktree) => {
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
    push: (request, options) => pushWork(located.current, { request, reach }, options),
    async recover(command, options) {
      const merged = await alone(async (worktree, recovered) => {
        if (recovered?.command === options.commandId) return recovered.result
        return command.command === "complete" ? undefined : resultOfCommand(worktree, options.commandId, options)
      }, options)
      return merged ?? evidenceOf(located, command, { ...options, reach })
    },
  }
}
