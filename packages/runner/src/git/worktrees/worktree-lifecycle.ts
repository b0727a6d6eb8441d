import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import { isTaskBranch } from "@switchyard/core/files/worktrees/names"
import type { CreateWorktree, KeptWork } from "@switchyard/core/files/worktrees/schema"
import { listFiles } from "@switchyard/core/files/worktrees/unresolved"
import type { PinBase } from "@switchyard/core/files/worktrees/worktrees"
import { NEVER } from "../plumbing/git.ts"
import { inFolder, toText } from "../plumbing/git-path.ts"
import { clearFlags, listOverlooked } from "../plumbing/overlooked.ts"
import { branchesAmong, HEADS, listRefs, type Ref } from "../plumbing/refs.ts"
import { checkoutsOf, headOf } from "../plumbing/repository.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"
import { claimBranch, releaseBranch } from "./branch-claims.ts"
import { checkOutSubmodules } from "./check-out-submodules.ts"
import { forgetDeadLocks, forgetHalves } from "./commit-work.ts"
import { firstCommit, unbornBranch } from "./first-commit.ts"
import { freeBranch } from "./free-branch.ts"
import { KEPT, keepWork, sweepKept } from "./keep-work.ts"
import { forgetAgentMerge } from "./merge-for-agent.ts"
import { readableNow } from "./readable.ts"
import { resetSubmodules } from "./reset-submodules.ts"
import {
  dropWork,
  forgetMergeAnswer,
  readAbout,
  readWork,
  realFolder,
  removeCheckout,
  removeFolder,
  type Worktree,
  writeWork,
} from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/**
 * Creates the worktree: on a taken-over branch if the request names one, and otherwise on a new branch that starts at
 * the base branch or at the repository's HEAD. First stores and removes the work of an earlier worktree.
 */
export async function createWork(
  worktree: Worktree,
  request: CreateWorktree,
  { signal, pinBase = async (commit) => commit }: Options & { pinBase?: PinBase | undefined },
): Promise<void> {
  if (request.branch !== undefined) return takeOverBranch(worktree, { ...request, branch: request.branch }, { signal })
  const { git, repository, tree, folder } = worktree
  const { base_branch } = request
  // Find the base before removing anything. Otherwise, work would be lost if the branch is missing or the session's own
  // branch can't be created.
  const refs = await readRefs(worktree, { signal })
  const hasWork = (await isThere(worktree)) || (await hasBranch(worktree, refs))
  // If there is work to remove, let git check the base too.
  const base = await pinBase((!hasWork && baseAmong(refs, request)) || (await baseFor(worktree, request, { signal })))
  const branch = freeBranch(worktree.branch, refs)
  const { current, default: main } = await branchesAmong(git, repository, refs, { signal })
  await removeWork(worktree, { signal, hasWork })
  await git.files.makeFolder(folder)
  // Don't treat a clone that has other worktrees as fresh, because their agents may have moved its branches.
  const isFresh = worktree.isClone && !(await git.files.exists(`${repository.commonDir}/worktrees`))
  const add = ["worktree", "add", "--quiet", "--no-track", "--no-checkout", "-B", branch, "--", tree, base]
  signal.throwIfAborted()
  await git(add, { cwd: repository.folder, signal: NEVER })
  const isUntouched = (!worktree.isOwn || isFresh) && !isTaskBranch(base_branch ?? current ?? "")
  await git(["reset", "--quiet", "--hard"], { cwd: tree, isUntouched, signal })
  await checkOutSubmodules(git, { cwd: tree, modules: join(repository.commonDir, "modules") }, { signal })
  const target = base_branch ?? (current && !isTaskBranch(current) ? current : main)
  const made = { ...worktree, branch }
  // Git has just read the commit and written the index.
  const readable = await readableNow(made)
  readable.note()
  await writeWork(made, { base_commit: base, rules_commit: base, branch, target_branch: target })
  await forgetMergeAnswer(worktree)
  await sweepKept(worktree, refs, { signal })
}

/** Reads all refs that the creation of a worktree depends on. */
function readRefs({ git, repository }: Worktree, options: Options): Promise<Ref[]> {
  return listRefs(git, repository, [HEADS, "refs/remotes/", `${KEPT}/`], options)
}

/** Returns the base commit for a new worktree if one of the refs is its branch. */
function baseAmong(refs: Ref[], { base_branch }: CreateWorktree): string | undefined {
  const named = `${HEADS}${base_branch}`
  return refs.find(({ name, isCurrent }) => (base_branch ? name === named : isCurrent))?.object
}

/** True if the repository has a branch with the worktree's name. Git omits a broken branch from the refs. */
async function hasBranch({ git, repository, branch }: Worktree, refs: Ref[]): Promise<boolean> {
  const own = `${HEADS}${branch}`
  return refs.some(({ name }) => name === own) || (await git.files.exists(`${repository.commonDir}/${own}`))
}

/** True if the worktree's files exist, or only its record is left. */
async function isThere(worktree: Worktree): Promise<boolean> {
  return (await worktree.git.files.exists(worktree.tree)) || (await readAbout(worktree)) !== undefined
}

/**
 * Takes over a user's branch. Uses the user's worktree of this branch if there is one. Otherwise, creates a worktree at
 * the branch's head.
 */
async function takeOverBranch(
  worktree: Worktree,
  { branch, base_branch }: CreateWorktree & { branch: string },
  { signal }: Options,
): Promise<void> {
  const { git, repository, folder } = worktree
  if (worktree.isOwn) {
    const message =
      "Only branches of a repository on this machine can be taken over. Use base_branch to start from it instead."
    throw new AppError("invalid_request", message, { branch })
  }
  if (isTaskBranch(branch)) throw new AppError("invalid_request", "That branch belongs to a session.", { branch })
  const head = await headOf(git, repository, branch, { signal })
  const theirs = await checkoutToTakeOver(worktree, branch, { signal })
  // Claim the branch before removing anything. Otherwise, work would be lost if another session has claimed the branch.
  await claimBranch(worktree, branch)
  await removeWork(worktree, { signal })
  // If the session had already taken over this branch, removing the old worktree may have released the claim.
  await claimBranch(worktree, branch)
  // The session stops using any other branch that it had taken over.
  const tree = theirs ?? `${folder}/tree`
  if (theirs === null) {
    await git.files.makeFolder(folder)
    const add = ["worktree", "add", "--quiet", "--no-checkout", "--", tree, branch]
    await git(add, { cwd: repository.folder, signal: NEVER })
    await git(["reset", "--quiet", "--hard"], { cwd: tree, isUntouched: true, signal })
    await checkOutSubmodules(git, { cwd: tree, modules: join(repository.commonDir, "modules") }, { signal })
  }
  const refs = await readRefs(worktree, { signal })
  const { current, default: main } = await branchesAmong(git, repository, refs, { signal })
  const targets = [base_branch, current && !isTaskBranch(current) ? current : null, main]
  const target = targets.find((each) => each && each !== branch) ?? null
  const taken_over = { branch, tree: theirs }
  await writeWork(worktree, { base_commit: head, rules_commit: head, target_branch: target, taken_over })
  await forgetMergeAnswer(worktree)
  await sweepKept(worktree, refs, { signal })
}

/**
 * Returns the folder of the user's worktree of this branch. Returns null if there is none. Throws if the session isn't
 * allowed to use the worktree.
 */
async function checkoutToTakeOver(
  { git, repository, folder }: Worktree,
  branch: string,
  { signal }: Options,
): Promise<string | null> {
  const checkouts = await checkoutsOf(git, repository, { signal })
  const found = checkouts.find((each) => each.branch === branch)
  // A killed runner may have left the session's own checkout behind. That checkout is recreated later.
  if (!found || found.path === `${await realFolder(git.files, folder)}/tree`) return null
  const isMain = await git.files.lstat(`${found.path}/.git`).then((each) => each?.kind !== "file")
  if (isMain) {
    const message =
      "This branch is checked out in the repository's main folder. Switch that folder to another branch first."
    throw new AppError("worktree_conflict", message, { branch, path: found.path })
  }
  const { stdout } = await git(["status", "--porcelain"], { cwd: found.path, signal })
  if (stdout.length > 0) {
    const message = "This branch's worktree has uncommitted changes. Commit them first."
    throw new AppError("worktree_conflict", message, { branch, path: found.path })
  }
  // In a sparse checkout, some tracked files don't exist. They are marked so that git overlooks them.
  const overlooked = await listOverlooked(git, { cwd: found.path, signal })
  const there = await Promise.all(overlooked.map((path) => git.files.lstat(inFolder(found.path, path))))
  const files = overlooked.filter((_, index) => there[index]).map(toText)
  if (files.length > 0) {
    const message = `This branch's worktree has files that git overlooks: ${listFiles(files)}. Clear their \`skip-worktree\` or \`assume-unchanged\` flags first.`
    throw new AppError("worktree_conflict", message, { branch, path: found.path, files })
  }
  return found.path
}

/** Returns the base commit for a new worktree. */
export async function baseFor(
  { git, repository }: Worktree,
  { base_branch }: CreateWorktree,
  { signal }: Options,
): Promise<string> {
  const unborn = await unbornBranch(git, repository, { signal })
  if (unborn !== undefined && (base_branch ?? unborn) === unborn) return firstCommit(git, repository, { signal })
  if (base_branch) return headOf(git, repository, base_branch, { signal })
  const asked = ["rev-parse", "--verify", "HEAD^{commit}"]
  return (await git(asked, { cwd: repository.folder, signal })).stdout.toString().trim()
}

/**
 * Resets the worktree and its submodules to the base commit. First stores the work under a ref. Keeps ignored files.
 * Returns the stored work, or null if there was none.
 */
export async function resetWork(worktree: Worktree, { signal }: Options): Promise<KeptWork | null> {
  const { base_commit } = await readWork(worktree)
  const kept = await keepWork(worktree, { signal })
  const call = { cwd: worktree.tree, signal }
  const { files } = worktree.git
  const gitDir = await gitDirOf(files, worktree.tree)
  await forgetDeadLocks(worktree, gitDir)
  await forgetHalves(files, gitDir)
  await forgetAgentMerge(worktree)
  await clearFlags(worktree.git, await listOverlooked(worktree.git, call), call)
  await worktree.git(["checkout", "--quiet", "--force", "-B", worktree.branch, base_commit, "--"], call)
  await worktree.git(["reset", "--quiet", "--hard", base_commit, "--"], call)
  await worktree.git(["clean", "-ffdq"], call)
  await resetSubmodules(worktree.git, worktree.tree, { signal })
  return kept?.ref ? kept : null
}

interface Removal extends Options {
  /** True if work that exists nowhere else may be lost. */
  discard?: boolean | undefined
  /** False if neither the worktree nor its branch exists. */
  hasWork?: boolean
  onGone?: (kept: KeptWork | null) => Promise<void> | undefined
}

/**
 * Removes the worktree and its branch. Returns false if neither existed. Keeps a user's branch and checkout, and a
 * branch that is also checked out elsewhere. Calls `onGone` as soon as the worktree is deregistered, when its files may
 * still exist.
 */
export async function removeWork(
  worktree: Worktree,
  { signal, discard = false, hasWork = true, onGone }: Removal,
): Promise<boolean> {
  const { git, repository, branch, tree, scratch } = worktree
  const wasThere = await isThere(worktree)
  if (wasThere) await worktree.beforeRemoval?.({ signal })
  const kept = discard || worktree.isTheirs?.tree || !hasWork ? null : await keepWork(worktree, { signal })
  // Drop the record before removing files: a partly removed folder must never be mistaken for the work.
  await dropWork(worktree)
  await forgetAgentMerge(worktree)
  if (wasThere) await onGone?.(kept)
  if (await git.files.exists(scratch)) await removeCheckout(worktree, scratch, { signal })
  if (!worktree.isTheirs?.tree) await removeCheckout(worktree, tree, { signal })
  await removeFolder(worktree)
  if (worktree.isTheirs?.branch) {
    await releaseBranch(worktree)
    return wasThere
  }
  if (!hasWork) return false
  const removed = await git(["branch", "--quiet", "-D", "--", branch], { cwd: repository.folder, signal, accept: [1] })
  return wasThere || removed.code === 0
}
