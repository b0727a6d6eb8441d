import { AppError, isAppError } from "@switchyard/core/errors"
import type {
  KeptWorktree,
  MergeRequest,
  MergeResult,
  ResolveRequest,
} from "@switchyard/core/files/worktrees/merge-schema"
import { isTaskBranch } from "@switchyard/core/files/worktrees/names"
import type { KeptWork } from "@switchyard/core/files/worktrees/schema"
import { describeRefused } from "@switchyard/core/files/worktrees/skipped-files"
import type { CommandOptions } from "@switchyard/core/files/worktrees/worktrees"
import { findHead, headOf, line } from "../plumbing/repository.ts"
import { snapshot } from "../plumbing/snapshot.ts"
import { describeUnpublished } from "../worktrees/carry-submodules.ts"
import { commitWork } from "../worktrees/commit-work.ts"
import { createUnborn, unbornBranch } from "../worktrees/first-commit.ts"
import { keepWork } from "../worktrees/keep-work.ts"
import { stageWork } from "../worktrees/stray-gitlinks.ts"
import { describeSubmodules, findUncommitted } from "../worktrees/uncommitted.ts"
import { unmergedIn } from "../worktrees/unmerged.ts"
import { removeWork } from "../worktrees/worktree-lifecycle.ts"
import {
  dropPending,
  findMerged,
  findPending,
  findWork,
  type Pending,
  readAbout,
  readWork,
  type Worktree,
  writeMerged,
} from "../worktrees/worktree-record.ts"
import { tellSkipped } from "./commit-hooks.ts"
import { listConflicts } from "./conflicts.ts"
import { advanceWork, finishMerge, type MergeOutcome, makeMerge, restorePending } from "./merge-engine.ts"
import { resolve } from "./resolve.ts"

interface Options {
  signal: AbortSignal
}

/** Request for a merge into a branch, or for an update of the work. */
type Begin = Omit<MergeRequest, "commit_message"> & {
  commit_message?: string | null
  direction: Pending["direction"]
}

/** Starts a merge of the work, including uncommitted changes. */
export async function startMerge(
  worktree: Worktree,
  request: Begin,
  { signal, commandId }: CommandOptions,
): Promise<MergeOutcome> {
  const { git, repository } = worktree
  const { direction } = request
  if (await findPending(worktree)) {
    throw new AppError(
      "worktree_conflict",
      "A merge is waiting for its conflicts to be resolved. Complete or abort it first.",
    )
  }
  const work = await readWork(worktree)
  const target = request.target_branch ?? work.target_branch
  if (!target) throw new AppError("invalid_request", "There is no branch to merge with. Specify one.")
  if (isTaskBranch(target))
    throw new AppError("invalid_request", "That branch belongs to a session.", { branch: target })
  const isUnborn = direction === "merge" && (await unbornBranch(git, repository, { signal })) === target
  const found = isUnborn ? undefined : await headOf(git, repository, target, { signal })
  const message = worktree.isTheirs ? "Work in progress" : `Work of session ${worktree.branch.split("/")[1]}`
  const { head, refused } = await commitWork(worktree, message, { signal })
  const targetHead = found ?? (await createUnborn(git, repository, target, { signal }))
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
    command: commandId,
    ...(refused.length > 0 && { refused }),
    run_hooks: request.run_hooks ?? false,
    allow_markers: request.allow_markers ?? false,
  }
  const given = request.commit_message
  const text = given?.trim() ? given : await makeMessage(worktree, pending, { signal })
  return makeMerge(worktree, { ...pending, message: text }, { signal })
}

/** Builds a commit message from the merged commits: either the single commit's subject, or a list. */
async function makeMessage(
  worktree: Worktree,
  { direction, ours, theirs, target_branch }: Pending,
  { signal }: Options,
) {
  if (direction === "update") return `Merge branch '${target_branch}' into ${worktree.branch}\n`
  const args = ["log", "--no-merges", "--reverse", "--format=%s", "--max-count=50", `${ours}..${theirs}`]
  const { stdout } = await worktree.git(args, { cwd: worktree.repository.folder, signal })
  const [first = `Merge ${worktree.branch}`, ...more] = stdout.toString().split("\n").filter(Boolean)
  return more.length === 0 ? `${first}\n` : `${first}\n\n${[first, ...more].map((each) => `* ${each}`).join("\n")}\n`
}

export async function requirePending(worktree: Worktree): Promise<Pending> {
  const pending = await findPending(worktree)
  if (!pending) throw new AppError("worktree_conflict", "No merge is waiting for conflicts to be resolved.")
  return pending
}

export async function resolveSome(
  worktree: Worktree,
  request: ResolveRequest,
  options: CommandOptions,
): Promise<MergeOutcome> {
  const asked = { ...(await requirePending(worktree)), command: options.commandId }
  const pending = await resolve(worktree, asked, request, options)
  const left = (await unmergedIn(worktree, options)).size
  return left === 0 && completes(request) ? completeMerge(worktree, pending, options) : { status: "conflicts", pending }
}

/** True if the request commits the merge once it has resolved the last conflict. */
export function completes(request: ResolveRequest): boolean {
  return "use_incoming" in request || request.complete
}

export async function completeMerge(
  worktree: Worktree,
  found: Pending,
  { signal, commandId }: CommandOptions,
): Promise<MergeOutcome> {
  const pending = { ...found, command: commandId }
  const open = await listConflicts(worktree, pending, { signal })
  if (open.unresolved > 0) {
    const files = open.files.filter(({ resolved }) => !resolved).map(({ file_path }) => file_path)
    throw new AppError("worktree_conflict", "Some conflicts aren't resolved yet.", { files })
  }
  return (await finishMerge(worktree, pending, { signal })) ?? makeMerge(worktree, pending, { signal })
}

/** Carries out all steps that follow a merge, and returns the merge's result. */
export async function concludeMerge(
  worktree: Worktree,
  outcome: MergeOutcome,
  options: Omit<CommandOptions, "commandId">,
): Promise<MergeResult> {
  const { status, pending } = outcome
  const { direction, target_branch, delete_worktree, skipped, unpublished, refused } = pending
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
    const { files, unresolved } = await listConflicts(worktree, pending, options)
    const message =
      unresolved > 0
        ? `${unresolved} of ${files.length} conflicts still need resolving.`
        : "All conflicts are resolved."
    return { ...said, message, conflicts: files }
  }
  const { commit, checkout } = outcome
  const merges = direction === "merge"
  const goes = merges && delete_worktree
  const { stays, kept } = goes ? await keepBeforeDeletion(worktree, pending.theirs, options) : {}
  const deletes = goes && !stays
  const warning = unpublished && describeUnpublished(unpublished)
  const left = stays?.message ?? (refused && describeRefused(refused))
  const parts = [`Merged into ${into}.`, left, skipped && tellSkipped(skipped), warning]
  const message = parts.filter(Boolean).join(" ")
  const push = merges && worktree.isClone ? { remote: "origin", branch: target_branch } : undefined
  const result = { ...said, success: true, message, commit, checkout, worktree_deleted: deletes }
  const answer = {
    ...result,
    ...(stays && { worktree_kept: stays }),
    ...(kept && { kept }),
    ...(push && { push }),
    ...(skipped && { skipped }),
  }
  await options.onMade?.(answer, pending.command)
  if (merges) await writeMerged(worktree, { target_branch, move: { from: pending.ours, to: commit }, answer })
  if (deletes) await removeWork(worktree, { ...options, discard: true })
  else {
    await advanceWork(worktree, pending, commit, options)
    await dropPending(worktree, options)
  }
  return answer
}

/** Returns the last merge's result if the same merge is requested again after it has deleted its worktree. */
export async function repeatedMerge(
  worktree: Worktree,
  { target_branch }: Pick<MergeRequest, "target_branch">,
  { signal }: Options,
): Promise<MergeResult | undefined> {
  const { git, repository } = worktree
  if (await readAbout(worktree)) return undefined
  const { answer, target_branch: target } = (await findMerged(worktree)) ?? {}
  if (!answer?.worktree_deleted || !answer.commit) return undefined
  if (target_branch !== undefined && target_branch !== target) return undefined
  const asked = ["merge-base", "--is-ancestor", answer.commit, `refs/heads/${target}`]
  const { code } = await git(asked, { cwd: repository.folder, accept: [1, 128], signal })
  return code === 0 ? answer : undefined
}

/**
 * Stores work that exists nowhere else before a merge deletes its worktree. If the work can't be stored, or the
 * worktree has newer changes, returns why the worktree stays.
 */
async function keepBeforeDeletion(
  worktree: Worktree,
  merged: string,
  options: Options,
): Promise<{ stays?: KeptWorktree; kept?: KeptWork }> {
  const newer = await newerThan(worktree, merged, options)
  if (newer) return { stays: newer }
  try {
    const kept = await keepWork(worktree, options)
    return kept ? { kept } : {}
  } catch (error) {
    if (!isAppError(error, "worktree_conflict")) throw error
    const reason = error.details.reason === "left_out" ? "left_out" : "too_large"
    return { stays: { reason, message: error.message } }
  }
}

/** Finds changes that were made in the worktree after the merge started. They aren't part of the merge. */
async function newerThan(worktree: Worktree, merged: string, { signal }: Options): Promise<KeptWorktree | undefined> {
  if (!(await findWork(worktree))) return undefined
  const { git, repository, tree, branch } = worktree
  const stays = (what: string) => `The worktree was kept: it has ${what} made after the merge began.`
  const heads = [
    await findHead(git, repository, branch, { signal }),
    await line(git, ["rev-parse", "HEAD"], { cwd: tree, signal }),
  ]
  if (heads.some((head) => head !== merged)) return { reason: "new_commits", message: stays("commits") }
  const { isDirty, submodules } = await findUncommitted(worktree, { signal })
  if (isDirty && (await differs(worktree, merged, { signal })))
    return { reason: "uncommitted_changes", message: stays("changes") }
  if (submodules.length === 0) return undefined
  return { reason: "uncommitted_changes", message: `The worktree was kept. ${describeSubmodules(submodules)}` }
}

/**
 * True if committing the worktree's files would change anything. `git status` doesn't show this, because files that git
 * refuses always look changed.
 */
async function differs({ git, tree: cwd }: Worktree, commit: string, { signal }: Options): Promise<boolean> {
  const { tree } = await stageWork(snapshot, git, cwd, commit, { signal })
  return tree !== (await line(git, ["rev-parse", `${commit}^{tree}`], { cwd, signal }))
}

export async function abortMerge(worktree: Worktree, options: Options): Promise<MergeResult> {
  const pending = await findPending(worktree)
  const said = { commit: null, checkout: null, worktree_deleted: false, conflicts: null }
  if (!pending) {
    return {
      ...said,
      success: false,
      status: "no_merge",
      message: "There is no merge in progress to abort.",
      target_branch: null,
    }
  }
  await dropPending(worktree, options)
  const { target_branch } = pending
  return { ...said, success: true, status: "aborted", message: "The merge was aborted.", target_branch }
}

/** Finishes a merge whose process died after the commit. Returns the merge's result and the ID of its command. */
export async function finishInterrupted(
  worktree: Worktree,
  options: CommandOptions,
): Promise<{ result: MergeResult; command: string | undefined } | undefined> {
  const commit = await restorePending(worktree, options)
  const pending = await findPending(worktree)
  if (!commit || !pending) return undefined
  const result = await concludeMerge(worktree, { status: "merged", pending, commit, checkout: null }, options)
  return { result, command: pending.command }
}

/** Returns a command's result if the command's merge is waiting for conflicts to be resolved. */
export async function resultOfCommand(
  worktree: Worktree,
  commandId: string,
  options: Options,
): Promise<MergeResult | undefined> {
  const pending = await findPending(worktree)
  if (pending?.command !== commandId) return undefined
  return concludeMerge(worktree, { status: "conflicts", pending }, options)
}
