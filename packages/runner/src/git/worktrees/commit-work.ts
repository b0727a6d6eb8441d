import { AppError } from "@switchyard/core/errors"
import { isTaskBranch } from "@switchyard/core/files/worktrees/names"
import type { StagedFiles, WorktreeLook } from "@switchyard/core/files/worktrees/worktrees"
import type { Files } from "../../files/files.ts"
import { refusedAmong } from "../plumbing/add-files.ts"
import { noteCommit, recall } from "../plumbing/known-git.ts"
import { checkedOut, line } from "../plumbing/repository.ts"
import { commitTree, gitDirOf, stageInPlace } from "../plumbing/snapshot.ts"
import { keepStaged } from "./keep-work.ts"
import { lookAt } from "./look.ts"
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
  { look: before, signal }: Options & { look?: WorktreeLook | undefined },
): Promise<StagedFiles & { head: string; isNew: boolean }> {
  const { git, tree: cwd, branch } = worktree
  const { base_commit: base } = await readWork(worktree)
  const gitDir = await gitDirOf(git.files, cwd)
  await forgetDeadLocks(worktree, gitDir)
  const merged = await settleAgentMerge(worktree, { signal })
  const look = (await before?.isCurrent()) ? before : undefined
  const { isMerged, isStaged, ignored, ...at } = look ?? (await lookAt(worktree, { signal }))
  await requireResolved(worktree, { isMerged, signal })
  const { commit: head, ref: on } =
    at.head === null ? await checkedOut(git, cwd, branch, { signal }) : { commit: at.head, ref: at.ref }
  if (isStaged) await keepStaged(worktree, head, { signal })
  const staged = await stageWork(stageInPlace, git, cwd, base, { withEntries: true, signal })
  const { tree, entries } = staged
  const merging = (await git.files.readText(`${gitDir}/MERGE_HEAD`))?.trim().split("\n") ?? []
  const isSame = entries && head === base ? entries.length === 0 : tree === (await treeOf(worktree, head, { signal }))
  const isNew = !isSame || merging.length > 0
  const made = { tree, parents: [head, ...merging], message, isNamed: !worktree.isOwn }
  const commit = isNew ? await commitTree(git, cwd, made, { signal }) : head
  const ref = `refs/heads/${branch}`
  const own = isTaskBranch(branch) ? ["--no-deref"] : []
  if (isNew || on !== ref) await git(["update-ref", ...own, "-m", "switchyard: commit", ref, commit], { cwd, signal })
  if (on !== ref) await git(["symbolic-ref", "HEAD", ref], { cwd, signal })
  await noteCommitted(worktree, { base, commit, isNew }, { head, merging, staged })
  await forgetHalves(git.files, gitDir)
  const refused = refusedAmong(staged.leftOut)
  if (merged !== undefined) {
    // The end of a merge may move the base.
    await endAgentMerge(worktree, merged, commit, { signal })
    return { head: commit, isNew, refused }
  }
  const differing = await differingPaths(staged, { git, cwd, base }, { signal })
  const paths = merging.length === 0 ? staged.listed : undefined
  const committed = paths && entries && { head: commit, tree, base, changes: entries, paths, ignored }
  return { head: commit, isNew, refused, differing, committed }
}

/** Remembers what a commit says about the work, so that git needn't be asked. */
async function noteCommitted(
  worktree: Worktree,
  { base, commit, isNew }: { base: string; commit: string; isNew: boolean },
  { head, merging, staged }: { head: string; merging: string[]; staged: Awaited<ReturnType<typeof stageWork>> },
): Promise<void> {
  const { known } = worktree
  if (isNew && merging.length === 0) noteCommit(known, { commit, tree: staged.tree, parent: head })
  const changes = staged.entries ?? staged.changes
  if (changes) await recall(known.differ, [base, commit], async () => changes.length > 0)
  const readable = await readableNow(worktree)
  readable.note()
}

async function treeOf({ git, known, tree: cwd }: Worktree, commit: string, { signal }: Options): Promise<string> {
  const tree = known.commits.get(commit)?.tree ?? (await line(git, ["rev-parse", `${commit}^{tree}`], { cwd, signal }))
  if (!tree) throw new AppError("git_error", "The worktree has no commit.", { commit })
  return tree
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
