import { isAppError } from "@switchyard/core/errors"
import { advanceBranch } from "../checkout/advance-branch.ts"
import { exists, findHead, headOf } from "../plumbing/repository.ts"
import { commitTree, gitDirOf } from "../plumbing/snapshot.ts"
import { unmergedIn } from "../worktrees/unmerged.ts"
import {
  dropPending,
  findPending,
  type Pending,
  readWork,
  type Worktree,
  writePending,
  writeWork,
} from "../worktrees/worktree-record.ts"
import { commitMerge } from "./commit-hooks.ts"
import { mergeInScratch, stillApplicable, writeResolutions } from "./scratch-merge.ts"

interface Options {
  signal: AbortSignal
}

export type MergeOutcome =
  | { status: "merged"; pending: Pending; commit: string; checkout: string | null }
  | { status: "conflicts"; pending: Pending }
  | { status: "nothing_to_merge"; pending: Pending }

/** Which branch a merge moves: the work's own, if that is what is updated. */
function intoBranch(worktree: Worktree, { direction, target_branch }: Pending): string {
  return direction === "merge" ? target_branch : worktree.branch
}

/**
 * Makes a merge, or gets as far as its conflicts. Resolutions that were made before count where the same files are in
 * conflict again. If the branch has moved meanwhile, it begins anew from where that is.
 */
export async function makeMerge(worktree: Worktree, pending: Pending, { signal }: Options): Promise<MergeOutcome> {
  let ours = pending.ours
  for (;;) {
    const outcome = await tryMerge(worktree, { ...pending, ours, commit: null }, { signal })
    if (outcome) return outcome
    ours = await headOf(worktree.git, worktree.repository, intoBranch(worktree, pending), { signal })
  }
}

/** Undefined if the branch has moved meanwhile. */
async function tryMerge(worktree: Worktree, pending: Pending, { signal }: Options): Promise<MergeOutcome | undefined> {
  const begun = await orTakenBack(worktree, pending, () => beginMerge(worktree, pending, { signal }))
  if (!begun) return nothing(worktree, pending, { signal })
  if (begun.unresolved === 0) return finishMerge(worktree, begun.pending, { signal })
  await writePending(worktree, begun.pending)
  return { status: "conflicts", pending: begun.pending }
}

/** Brings a merge's checkout to where its conflicts are, less those that were resolved. Undefined if there is no merge. */
async function beginMerge(
  worktree: Worktree,
  pending: Pending,
  { signal }: Options,
): Promise<{ pending: Pending; unresolved: number } | undefined> {
  const merged = await mergeInScratch(worktree, pending, { signal })
  if (merged.status === "nothing") return undefined
  if (merged.status !== "conflicts") return { pending: { ...pending, notes: [], resolved: [] }, unresolved: 0 }
  const unmerged = await unmergedIn(worktree, { signal })
  const resolved = stillApplicable(pending.resolved, unmerged)
  await writeResolutions(worktree, resolved, { signal })
  return { pending: { ...pending, notes: merged.notes, resolved }, unresolved: unmerged.size - resolved.length }
}

/** Makes a merge without conflicts the branch's newest commit; undefined if the branch has moved meanwhile. */
export function finishMerge(
  worktree: Worktree,
  pending: Pending,
  { signal }: Options,
): Promise<MergeOutcome | undefined> {
  return orTakenBack(worktree, pending, async () => {
    const { git, repository, scratch } = worktree
    const { ours, theirs, strategy } = pending
    const tree = (await git(["write-tree"], { cwd: scratch, signal })).stdout.toString().trim()
    const differs = await git(["diff-tree", "--quiet", ours, tree], { cwd: scratch, signal, accept: [1] })
    if (differs.code === 0 && strategy === "squash") return nothing(worktree, pending, { signal })

    const parents = strategy === "squash" ? [ours] : [ours, theirs]
    const { commit, skipped } = await commitMerge(worktree, pending, { tree, parents }, { signal })
    await writePending(worktree, { ...pending, commit, skipped })
    const branch = intoBranch(worktree, pending)
    const why = pending.direction === "merge" ? `merge ${worktree.branch}` : `update from ${pending.target_branch}`
    const advanced = await advanceBranch(git, repository, { branch, from: ours, to: commit, why }, { signal })
    if (!advanced) return undefined
    return { status: "merged", pending: { ...pending, skipped }, commit, checkout: advanced.checkout }
  })
}

/** Leaves nothing behind of a merge that fails: not even the lock of a git that had to be killed. */
async function orTakenBack<T>(worktree: Worktree, pending: Pending, task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (error) {
    await takeBack(worktree, pending, error)
    throw error
  }
}

/** A merge that somebody has worked on waits for another try; any other is forgotten. */
async function takeBack(worktree: Worktree, pending: Pending, reason: unknown): Promise<void> {
  const signal = AbortSignal.timeout(CLEANING_MS)
  // Nothing can be written or told apart then: what is there is looked at when the repository is used again.
  if (isAppError(reason, "storage_unavailable")) return
  if (pending.resolved.length === 0) return dropPending(worktree, { signal })
  await writePending(worktree, { ...pending, commit: null })
  // A hook may have changed the files of the merge before it, or another, refused.
  if (isAppError(reason, "commit_refused")) await beginMerge(worktree, pending, { signal })
}

const CLEANING_MS = 30_000

async function nothing(worktree: Worktree, pending: Pending, { signal }: Options): Promise<MergeOutcome> {
  await dropPending(worktree, { signal })
  return { status: "nothing_to_merge", pending }
}

/** Lets the work go on from where it was merged, so that the next merge has only what comes after. */
export async function advanceWork(
  worktree: Worktree,
  pending: Pending,
  commit: string,
  { signal }: Options,
): Promise<void> {
  const { git, repository, branch } = worktree
  const work = await readWork(worktree)
  if (pending.direction === "update") {
    await writeWork(worktree, { ...work, base_commit: pending.theirs, target_branch: pending.target_branch })
    return
  }
  const from = pending.theirs
  const to = pending.strategy === "merge" ? commit : await tie(worktree, from, commit, { signal })
  try {
    const advanced = await advanceBranch(
      git,
      repository,
      { branch, from, to, why: `merged into ${pending.target_branch}` },
      { signal },
    )
    if (advanced) await writeWork(worktree, { ...work, base_commit: commit, target_branch: pending.target_branch })
  } catch (error) {
    // Somebody works there at this moment: then the work stays where it is, and what was merged shows in it still.
    if (!isAppError(error, "merge_blocked") && !isAppError(error, "worktree_busy")) throw error
  }
}

/** A commit with the files of the merge that has the work's own commits behind it too. */
async function tie(
  { git, repository, branch }: Worktree,
  from: string,
  merged: string,
  { signal }: Options,
): Promise<string> {
  const call = { cwd: repository.folder, signal }
  const tree = (await git(["rev-parse", "--verify", `${merged}^{tree}`], call)).stdout.toString().trim()
  const message = `Go on from where ${branch} was merged`
  return commitTree(git, repository.folder, { tree, parents: [from, merged], message }, { signal })
}

/**
 * What to make of a merge whose process died: resolves to its commit if the branch has it, so that only the rest is to do.
 * One that had no conflicts is forgotten, for it can simply be made again.
 */
export async function restorePending(worktree: Worktree, { signal }: Options): Promise<string | undefined> {
  const pending = await findPending(worktree)
  if (!pending) return undefined
  if (pending.commit) {
    const head = await findHead(worktree.git, worktree.repository, intoBranch(worktree, pending), { signal })
    if (head && (await isAncestor(worktree, pending.commit, head, { signal }))) return pending.commit
  }
  if (pending.notes.length === 0) await dropPending(worktree, { signal })
  else {
    await ensureScratch(worktree, pending, { signal })
    // Resolutions are noted before they are made.
    await writeResolutions(worktree, stillApplicable(pending.resolved, await unmergedIn(worktree, { signal })), {
      signal,
    })
  }
  return undefined
}

async function ensureScratch(worktree: Worktree, pending: Pending, { signal }: Options): Promise<void> {
  const { git, scratch } = worktree
  const asked = { cwd: scratch, signal, accept: [1, 128] }
  const [found] = await Promise.allSettled([git(["rev-parse", "--verify", "--quiet", "MERGE_HEAD"], asked)])
  const merging = found.status === "fulfilled" && found.value.stdout.toString().trim() === pending.theirs
  // Nobody but us works there, one at a time: the lock is of a git that was killed.
  const whole = merging && !(await exists(`${await gitDirOf(scratch)}/index.lock`))
  if (!whole) await beginMerge(worktree, pending, { signal })
}

async function isAncestor({ git, repository }: Worktree, ancestor: string, of: string, { signal }: Options) {
  const call = { cwd: repository.folder, accept: [1], signal }
  return (await git(["merge-base", "--is-ancestor", ancestor, of], call)).code === 0
}
