import { AppError } from "@switchyard/core/errors"
import type { PendingMerge } from "@switchyard/core/files/worktrees/conflict-schema"
import type { WorktreeStatus } from "@switchyard/core/files/worktrees/schema"
import type { CommittedFiles } from "@switchyard/core/files/worktrees/worktrees"
import { type Distance, recall } from "../plumbing/known-git.ts"
import { HEADS, type Ref } from "../plumbing/refs.ts"
import { checkedOut, findHead } from "../plumbing/repository.ts"
import { findUncommitted } from "./uncommitted.ts"
import { unmergedIn } from "./unmerged.ts"
import { findUnresolved } from "./unresolved.ts"
import { findPending, findWork, type Pending, type Worktree } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/**
 * Returns the worktree's status. `refs` saves a process if the repository's branches were listed before, and
 * `committed` saves looking at the worktree again.
 */
export async function statusOf(
  worktree: Worktree,
  { refs = [], committed, signal }: Options & { refs?: Ref[]; committed?: CommittedFiles | undefined },
): Promise<WorktreeStatus> {
  const work = await findWork(worktree)
  if (!work) return NO_WORKTREE
  const { git, tree, branch } = worktree
  const clean = committed && { isDirty: false, submodules: [], isMerged: true, head: committed.head }
  const found = clean ?? (await findUncommitted(worktree, { signal }))
  const commit = found.head ?? (await checkedOut(git, tree, branch, { signal })).commit
  const uncommitted = found.isDirty || found.submodules.length > 0
  const unresolved = await findUnresolved(worktree, { isMerged: found.isMerged, signal })
  const [behind = null, ahead = null] = (await distance(worktree, work.target_branch, commit, { refs, signal })) ?? []
  return {
    exists: true,
    path: tree,
    branch,
    base_commit: work.base_commit,
    commit,
    has_changes: uncommitted || (await differ(worktree, work.base_commit, commit, { signal })),
    uncommitted,
    target_branch: work.target_branch,
    behind,
    ahead,
    merge: await pendingOf(worktree, { signal }),
    ...(unresolved && { unresolved }),
  }
}

async function differ({ git, known, tree: cwd }: Worktree, base: string, commit: string, { signal }: Options) {
  if (base === commit) return false
  return recall(known.differ, [base, commit], async () => {
    return (await git(["diff-tree", "--quiet", base, commit], { cwd, signal, accept: [1] })).code === 1
  })
}

/**
 * Counts the commits that only the branch contains, and those that only the work contains. Returns undefined if the
 * branch doesn't exist.
 */
async function distance(
  { git, known, repository }: Worktree,
  branch: string | null,
  head: string,
  { refs, signal }: Options & { refs: Ref[] },
): Promise<Distance | undefined> {
  if (branch === null) return undefined
  const ref = `${HEADS}${branch}`
  const target = refs.find(({ name }) => name === ref)?.object ?? (await findHead(git, repository, branch, { signal }))
  if (target === undefined) return undefined
  return recall(known.distances, [target, head], async () => {
    if (target === head) return [0, 0]
    const asked = ["rev-list", "--left-right", "--count", `${target}...${head}`, "--"]
    const { code, stdout } = await git(asked, { cwd: repository.folder, signal, accept: [128] })
    if (code !== 0) throw new AppError("git_error", "The work couldn't be compared with its target branch.", { branch })
    const [behind = 0, ahead = 0] = stdout.toString().trim().split("\t").map(Number)
    return [behind, ahead]
  })
}

const NO_WORKTREE: WorktreeStatus = {
  exists: false,
  path: null,
  branch: null,
  base_commit: null,
  has_changes: false,
  uncommitted: false,
  target_branch: null,
  behind: null,
  ahead: null,
  merge: null,
}

async function pendingOf(worktree: Worktree, { signal }: Options): Promise<PendingMerge | null> {
  const pending = await findPending(worktree)
  // A merge without conflicts isn't waiting for a person: it is still running, or its process died.
  if (!pending?.notes.length || !(await worktree.git.files.exists(worktree.scratch))) return null
  const { direction, target_branch, resolved }: Pending = pending
  const unresolved = (await unmergedIn(worktree, { signal })).size
  return { direction, target_branch, files: unresolved + resolved.length, unresolved }
}
