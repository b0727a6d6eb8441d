import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { isTaskBranch } from "@switchyard/core/files/worktrees/names"
import type { Files } from "../../files/files.ts"
import { refusedAmong } from "../plumbing/add-files.ts"
import { fieldsOf, type GitPath } from "../plumbing/git-path.ts"
import { noteCommit, recall } from "../plumbing/known-git.ts"
import { checkedOut } from "../plumbing/repository.ts"
import { commitTree, gitDirOf, stageInPlace } from "../plumbing/snapshot.ts"
import { keepStaged } from "./keep-work.ts"
import { endAgentMerge, settleAgentMerge } from "./merge-for-agent.ts"
import { readableNow } from "./readable.ts"
import { differingPaths, stageWork } from "./stray-gitlinks.ts"
import { requireResolved } from "./unresolved.ts"
import { readWork, type Worktree } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/**
 * Commits all files of the worktree to the work's branch, even if an agent has switched to another branch, because the
 * files are the work. Repositories that an agent created in the worktree become ordinary folders. Returns the branch's
 * head, whether it is new, and what was staged. If there are conflicts or an unfinished operation, throws
 * `worktree_conflict` and changes nothing.
 */
export async function commitWork(
  worktree: Worktree,
  message: string,
  { signal }: Options,
): Promise<{ head: string; isNew: boolean; refused: SkippedFile[]; differing: GitPath[] | undefined }> {
  const { git, tree: cwd, branch } = worktree
  const { base_commit: base } = await readWork(worktree)
  const gitDir = await gitDirOf(git.files, cwd)
  await forgetDeadLocks(worktree, gitDir)
  const merged = await settleAgentMerge(worktree, { signal })
  const tracked = await readTracked(worktree, { signal })
  await requireResolved(worktree, { ...tracked, signal })
  const { commit: head, tree, ref: on } = await checkedOut(git, cwd, branch, { signal })
  if (tracked.isStaged) await keepStaged(worktree, head, { signal })
  const staged = await stageWork(stageInPlace, git, cwd, base, { signal })
  const merging = (await git.files.readText(`${gitDir}/MERGE_HEAD`))?.trim().split("\n") ?? []
  const isNew = tree !== staged.tree || merging.length > 0
  const parents = [head, ...merging]
  const made = { tree: staged.tree, parents, message, isNamed: !worktree.isOwn }
  const commit = isNew ? await commitTree(git, cwd, made, { signal }) : head
  const ref = `refs/heads/${branch}`
  const own = isTaskBranch(branch) ? ["--no-deref"] : []
  if (isNew || on !== ref) await git(["update-ref", ...own, "-m", "switchyard: commit", ref, commit], { cwd, signal })
  if (on !== ref) await git(["symbolic-ref", "HEAD", ref], { cwd, signal })
  if (isNew && merging.length === 0) noteCommit(worktree.known, { commit, parent: head })
  if (staged.changes) await recall(worktree.known.differ, [base, commit], async () => staged.changes?.length !== 0)
  const readable = await readableNow(worktree)
  readable.note()
  await forgetHalves(git.files, gitDir)
  if (merged !== undefined) await endAgentMerge(worktree, merged, commit, { signal })
  // The end of a merge may have moved the base.
  const differing = merged === undefined ? await differingPaths(staged, { git, cwd, base }, { signal }) : undefined
  return { head: commit, isNew, refused: refusedAmong(staged.leftOut), differing }
}

/**
 * Reads the state of the worktree's tracked files: whether the index has no unmerged entries, and whether it contains
 * versions of files that are neither in HEAD nor on disk.
 */
async function readTracked({ git, tree: cwd }: Worktree, { signal }: Options) {
  const asked = ["status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=all", "--no-renames"]
  const changed = fieldsOf((await git(asked, { cwd, signal })).stdout)
  return {
    isMerged: !changed.some((line) => /^(?:U.|.U|AA|DD)/.test(line)),
    isStaged: changed.some((line) => /^[AMT][MTD]/.test(line)),
  }
}

/** Age at which a lock is assumed to belong to a dead process. */
const LOCK_MS = 60_000

/**
 * Removes the locks left by killed git processes. No other process would remove them, because only the session uses the
 * worktree.
 */
export async function forgetDeadLocks({ git, clock, repository, branch }: Worktree, gitDir: string): Promise<void> {
  for (const locked of [`${gitDir}/index`, `${gitDir}/HEAD`, `${repository.commonDir}/refs/heads/${branch}`]) {
    const lock = `${locked}.lock`
    const found = await git.files.stat(lock)
    if (found && clock.now() - Number(found.mtimeNs / 1_000_000n) > LOCK_MS) await git.files.remove(lock)
  }
}

/** Names of files in a checkout's git folder that record an operation in progress. */
const OPERATION = /^((MERGE|CHERRY_PICK|REVERT|BISECT|AUTO_MERGE)(_.*|$)|rebase-merge|rebase-apply|sequencer)$/

export const isOfOperation = (name: string) => OPERATION.test(name)

/** Removes git's records of unfinished operations. Called after the files were committed or the worktree was reset. */
export async function forgetHalves(files: Files, gitDir: string): Promise<void> {
  for (const { name } of await files.list(gitDir)) {
    if (isOfOperation(name.toString("latin1"))) await files.remove(`${gitDir}/${name}`)
  }
  await files.remove(`${gitDir}/refs/bisect`)
}
