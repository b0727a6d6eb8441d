import { AppError } from "@switchyard/core/errors"
import type { MergeResult, UndoRequest } from "@switchyard/core/files/worktrees/merge-schema"
import { advanceBranch } from "../checkout/advance-branch.ts"
import { findHead, headOf, line } from "../plumbing/repository.ts"
import { findMerged, findPending, findWork, type Worktree, writeWork } from "../worktrees/worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/** Commits between which a merge moved its target branch. */
interface Made {
  target_branch: string
  move: { from: string; to: string }
}

/**
 * Moves the last merge's target branch and its checkout back to the state before the merge. Throws `worktree_conflict`
 * if the merge was pushed, or if commits were added after it. A ref keeps the merge commit in the repository.
 * Idempotent.
 */
export async function undoMerge(worktree: Worktree, request: UndoRequest, { signal }: Options): Promise<MergeResult> {
  const made = await requireMade(worktree, request)
  const { git, repository } = worktree
  const { target_branch: branch, move } = made
  const head = await headOf(git, repository, branch, { signal })
  const checkout = head === move.from ? null : await moveBack(worktree, made, { signal })
  await showAsUnmerged(worktree, move)
  return {
    success: true,
    status: "undone",
    message: await messageOf(worktree, made),
    target_branch: branch,
    commit: move.from,
    checkout,
    worktree_deleted: false,
    conflicts: null,
  }
}

/** True if the target branch is at the commit where it was before the last merge. */
export async function isUndone(worktree: Worktree, request: UndoRequest, { signal }: Options): Promise<boolean> {
  const merged = await findMerged(worktree)
  if (!merged?.move || isAnother(merged.move, request)) return false
  return (await findHead(worktree.git, worktree.repository, merged.target_branch, { signal })) === merged.move.from
}

async function requireMade(worktree: Worktree, request: UndoRequest): Promise<Made> {
  if (await findPending(worktree))
    throw refused("Another merge is waiting for its conflicts to be resolved. Complete or abort it first.")
  const merged = await findMerged(worktree)
  if (!merged?.move) throw refused("There is no merge to undo.")
  if (isAnother(merged.move, request))
    throw refused("There has been another merge since. Only the latest merge can be undone.")
  return { ...merged, move: merged.move }
}

const isAnother = ({ to }: Made["move"], { commit }: UndoRequest) => commit !== undefined && commit !== to

async function moveBack(worktree: Worktree, made: Made, { signal }: Options): Promise<string | null> {
  const { git, repository } = worktree
  const { target_branch: branch, move } = made
  const details = { branch, commit: move.to }
  const call = { cwd: repository.folder, signal }
  const shared = await line(git, ["for-each-ref", "--count=1", `--contains=${move.to}`, "refs/remotes"], call)
  if (shared) throw refused("The merge was pushed, so it can't be undone here. Revert it instead.", details)
  // Create this ref before moving the branch: if the worktree was deleted, only the merge commit contains the work.
  await git(["update-ref", `refs/switchyard/undone/${move.to}`, move.to], call)
  const back = { branch, from: move.to, to: move.from, why: `undo the merge of ${worktree.branch}` }
  const moved = await advanceBranch(git, repository, back, { signal })
  if (!moved) throw refused(`Commits were added to ${branch} after the merge, so it can't be undone.`, details)
  return moved.checkout
}

/**
 * If the work's base is the merge commit, moves the base back to the target branch's earlier commit, so that the work's
 * changes are shown again.
 */
async function showAsUnmerged(worktree: Worktree, { from, to }: Made["move"]): Promise<void> {
  const work = await findWork(worktree)
  if (work?.base_commit === to) await writeWork(worktree, { ...work, base_commit: from })
}

async function messageOf(worktree: Worktree, { target_branch, move }: Made): Promise<string> {
  const undone = `The merge into ${target_branch} was undone.`
  return (await findWork(worktree)) ? undone : `${undone} Its work is kept as commit ${move.to}.`
}

function refused(message: string, details: Record<string, unknown> = {}): AppError {
  return new AppError("worktree_conflict", message, details)
}
