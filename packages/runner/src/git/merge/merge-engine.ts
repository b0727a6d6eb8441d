import { isAppError } from "@switchyard/core/errors"
import { advanceBranch } from "../checkout/advance-branch.ts"
import { toText } from "../plumbing/git-path.ts"
import { findHead, headOf } from "../plumbing/repository.ts"
import { commitTree, gitDirOf } from "../plumbing/snapshot.ts"
import { carrySubmodules } from "../worktrees/carry-submodules.ts"
import { freshConflicts, markersRefused } from "../worktrees/markers.ts"
import { requireReadOnly } from "../worktrees/repository-rules.ts"
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

/** Returns the branch that a merge moves. An update moves the work's own branch. */
function intoBranch(worktree: Worktree, { direction, target_branch }: Pending): string {
  return direction === "merge" ? target_branch : worktree.branch
}

/**
 * Makes a merge, or stops at its conflicts. If the same files conflict again, reuses the earlier resolutions. If the
 * branch moves during the merge, starts over from the branch's new head.
 */
export async function makeMerge(worktree: Worktree, pending: Pending, { signal }: Options): Promise<MergeOutcome> {
  let ours = pending.ours
  for (;;) {
    const outcome = await tryMerge(worktree, { ...pending, ours, commit: null }, { signal })
    if (outcome) return outcome
    ours = await headOf(worktree.git, worktree.repository, intoBranch(worktree, pending), { signal })
  }
}

/** Attempts the merge once. Returns undefined if the branch moved during the attempt. */
async function tryMerge(worktree: Worktree, pending: Pending, { signal }: Options): Promise<MergeOutcome | undefined> {
  const begun = await orTakenBack(worktree, pending, () => beginMerge(worktree, pending, { signal }))
  if (!begun) return nothing(worktree, pending, { signal })
  if (begun.unresolved === 0) return finishMerge(worktree, begun.pending, { signal })
  await writePending(worktree, begun.pending)
  return { status: "conflicts", pending: begun.pending }
}

/**
 * Prepares a checkout for the merge that contains its unresolved conflicts. Returns undefined if there is nothing to
 * merge.
 */
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

/** Commits a conflict-free merge to its branch. Returns undefined if the branch has moved. */
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

    if (!pending.allow_markers) await refuseMarkers(worktree, pending, tree, { signal })
    const isMerge = pending.direction === "merge"
    if (isMerge) await requireReadOnly(worktree, { commit: ours, from: ours, to: tree, cwd: scratch }, { signal })
    const parents = strategy === "squash" ? [ours] : [ours, theirs]
    const { commit, skipped } = await commitMerge(worktree, pending, { tree, parents }, { signal })
    const unpublished = isMerge ? await carrySubmodules(worktree, { from: ours, to: tree }, { signal }) : []
    const made = { ...pending, skipped, ...(unpublished.length > 0 && { unpublished }) }
    await writePending(worktree, { ...made, commit })
    const branch = intoBranch(worktree, pending)
    const why = pending.direction === "merge" ? `merge ${worktree.branch}` : `update from ${pending.target_branch}`
    const advanced = await advanceBranch(git, repository, { branch, from: ours, to: commit, why }, { signal })
    if (!advanced) return undefined
    return { status: "merged", pending: made, commit, checkout: advanced.checkout }
  })
}

/**
 * Throws if a merge would add conflict markers to its branch. The markers may come from the work or from a resolution.
 */
async function refuseMarkers(
  { git, scratch }: Worktree,
  { direction, ours, theirs }: Pending,
  tree: string,
  { signal }: Options,
): Promise<void> {
  let fresh = await freshConflicts(git, scratch, { tree, before: ours }, { signal })
  if (direction === "update" && fresh.length > 0) {
    const beside = new Set(await freshConflicts(git, scratch, { tree, before: theirs }, { signal }))
    fresh = fresh.filter((path) => beside.has(path))
  }
  if (fresh.length > 0) throw markersRefused(fresh.map(toText))
}

/** Runs a step of a merge. If the step fails, cleans up, and removes the lock if a killed git process left one. */
async function orTakenBack<T>(worktree: Worktree, pending: Pending, task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (error) {
    await takeBack(worktree, pending, error)
    throw error
  }
}

/** Drops a failed merge. If conflicts have already been resolved, keeps the merge for another attempt. */
async function takeBack(worktree: Worktree, pending: Pending, reason: unknown): Promise<void> {
  const signal = AbortSignal.timeout(CLEANING_MS)
  // Git can't clean up while the disk is full. The next operation in the repository cleans up instead.
  if (isAppError(reason, "storage_unavailable")) return
  if (pending.resolved.length === 0) return dropPending(worktree, { signal })
  await writePending(worktree, { ...pending, commit: null })
  // Hooks may have changed the merge's files before one of them refused the commit, so prepare the files again.
  if (isAppError(reason, "commit_refused")) await beginMerge(worktree, pending, { signal })
}

const CLEANING_MS = 30_000

async function nothing(worktree: Worktree, pending: Pending, { signal }: Options): Promise<MergeOutcome> {
  await dropPending(worktree, { signal })
  return { status: "nothing_to_merge", pending }
}

/** Moves the work's base to the merge, so that the next merge contains only later changes. */
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
    // The worktree is in use, so its base can't be moved. The work still shows the merged changes.
    if (!isAppError(error, "merge_blocked") && !isAppError(error, "worktree_busy")) throw error
  }
}

/** Creates a commit that contains the merge's files and has the work's commits among its ancestors. */
async function tie(
  { git, repository, branch }: Worktree,
  from: string,
  merged: string,
  { signal }: Options,
): Promise<string> {
  const call = { cwd: repository.folder, signal }
  const tree = (await git(["rev-parse", "--verify", `${merged}^{tree}`], call)).stdout.toString().trim()
  const message = `Continue from the merge of ${branch}`
  return commitTree(git, repository.folder, { tree, parents: [from, merged], message }, { signal })
}

/**
 * Recovers a merge whose process died. If the branch already contains the merge, returns the merge's commit, because
 * only the steps after the merge remain. Drops a merge without conflicts, because it can be repeated.
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
    // Write the recorded resolutions again: they are recorded first, so the process may have died before writing them.
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
  // Only one process at a time uses the scratch worktree, so an existing lock was left by a killed git process.
  const whole = merging && !(await git.files.exists(`${await gitDirOf(git.files, scratch)}/index.lock`))
  if (!whole) await beginMerge(worktree, pending, { signal })
}

async function isAncestor({ git, repository }: Worktree, ancestor: string, of: string, { signal }: Options) {
  const call = { cwd: repository.folder, accept: [1], signal }
  return (await git(["merge-base", "--is-ancestor", ancestor, of], call)).code === 0
}
