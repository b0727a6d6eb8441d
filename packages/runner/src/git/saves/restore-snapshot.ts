import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import { restorePending } from "../merge/merge-engine.ts"
import { NO_PERSON } from "../plumbing/git.ts"
import { HEADS, listRefs } from "../plumbing/refs.ts"
import { detachBranch, line } from "../plumbing/repository.ts"
import { checkOutSubmodules } from "../worktrees/check-out-submodules.ts"
import { freeBranch } from "../worktrees/free-branch.ts"
import { keepWork } from "../worktrees/keep-work.ts"
import {
  removeCheckout,
  removeFolder,
  SAVE_REF,
  type Worktree,
  writePending,
  writeWork,
} from "../worktrees/worktree-record.ts"
import { type Note, readNote } from "./work-snapshot.ts"
import { restoreState } from "./worktree-state.ts"

interface Options {
  signal: AbortSignal
}

const RESTORED = "refs/switchyard/restored"

/**
 * Restores a snapshot from its bundles, in order. Replaces an existing worktree after storing its work. A forked
 * session receives neither a taken-over branch nor a pending merge, because both remain with the original session.
 * Returns the nested repositories that couldn't be restored.
 */
export async function restoreWorkSnapshot(
  worktree: Worktree,
  { bundles, tip, own, isForked }: { bundles: AsyncIterable<string>; tip: string; own: boolean; isForked: boolean },
  options: Options,
): Promise<string[]> {
  const { git, repository } = worktree
  const call = { cwd: repository.folder, ...options }
  await fetchBundles(worktree, bundles, options)
  const note = await readNote(worktree, tip, options)
  if (own) await restoreHeads(worktree, note.heads, options)
  const work = note.work && isForked ? withoutTheirs(note.work) : note.work
  const failed = work ? await restoreWork(worktree, work, tip, options) : []
  if (note.pending && !isForked) {
    await writePending(worktree, note.pending)
    await restorePending(worktree, options)
  }
  const named = await git(["for-each-ref", "--format=delete %(refname)", `${RESTORED}/`], call)
  await git(["update-ref", "--stdin"], { ...call, input: named.stdout })
  return failed
}

function withoutTheirs({ head, about }: NonNullable<Note["work"]>): NonNullable<Note["work"]> {
  const { taken_over: _, ...own } = about
  return { head, about: own }
}

/** Fetches snapshots into the repository, so that `restoreWorkSnapshot` can restore work from them. */
export async function fetchBundles(
  worktree: Worktree,
  bundles: AsyncIterable<string>,
  options: Options,
): Promise<void> {
  let count = 0
  for await (const file of bundles) await fetchBundle(worktree, file, `${RESTORED}/${count++}`, options)
}

async function fetchBundle(
  { git, repository }: Worktree,
  file: string,
  ref: string,
  { signal }: Options,
): Promise<void> {
  const args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", file, `+${SAVE_REF}:${ref}`]
  try {
    await git(args, { cwd: repository.folder, signal })
  } catch (cause) {
    signal.throwIfAborted()
    const message = "The saved work builds on commits that the repository no longer has."
    throw new AppError("repository_error", message, {}, { cause })
  }
}

async function restoreHeads(worktree: Worktree, heads: Note["heads"], { signal }: Options): Promise<void> {
  const { git, repository } = worktree
  const call = { cwd: repository.folder, signal }
  const input = Object.entries(heads).map(([ref, commit]) => `update ${ref} ${commit}\n`)
  await git(["update-ref", "--stdin"], { ...call, input: input.join("") })
  const bare = await line(git, ["rev-parse", "--is-bare-repository"], call)
  // Don't run the user's git filters, because the session's files may contain the programs that these filters run.
  if (bare === "false") await git(["reset", "--quiet", "--hard"], { ...call, env: NO_PERSON })
}

async function restoreWork(
  worktree: Worktree,
  { head, about }: NonNullable<Note["work"]>,
  tip: string,
  options: Options,
): Promise<string[]> {
  // Store the existing worktree's work first, because it may not be in any save.
  if (await worktree.git.files.exists(worktree.tree)) await keepWork(worktree, options)
  await removeCheckout(worktree, worktree.scratch, options)
  await removeCheckout(worktree, worktree.tree, options)
  await removeFolder(worktree)
  const { git, repository } = worktree
  const refs = () => listRefs(git, repository, [HEADS, "refs/remotes/"], options)
  const branch = about.taken_over ? undefined : freeBranch(worktree.branch, await refs())
  const restored = { ...worktree, branch: branch ?? worktree.branch }
  const failed = await checkOutWork(restored, { head, tip }, options)
  await writeWork(restored, { ...about, branch })
  return failed
}

/**
 * Replaces the worktree with a snapshot or its committed work. Returns the nested repositories that couldn't be
 * restored.
 */
export async function checkOutWork(
  worktree: Worktree,
  { head, tip }: { head: string; tip: string | null },
  { signal }: Options,
): Promise<string[]> {
  const { git, repository, tree, branch } = worktree
  await removeCheckout(worktree, tree, { signal })
  await detachBranch(git, repository, branch, { signal })
  // Git keeps the branch of a checkout that was elsewhere before the data folder was moved.
  if (worktree.isOwn) await git(["worktree", "prune", "--expire=now"], { cwd: repository.folder, signal })
  const add = ["worktree", "add", "--quiet", "--force", "--no-track", "--no-checkout", "-B", branch, "--", tree, head]
  await git(add, { cwd: repository.folder, signal })
  const call = { cwd: tree, signal }
  // If there is a sandbox, git runs in it, because an agent made the commit.
  await git(["reset", "--quiet", "--hard"], call)
  await checkOutSubmodules(git, { cwd: tree, modules: join(repository.commonDir, "modules") }, { signal })
  if (tip === null) return []
  await git(["read-tree", "--reset", "-u", `${tip}:files`], call)
  await git(["reset", "--quiet"], call)
  await git(["update-ref", SAVE_REF, tip], call)
  const { state } = await readNote(worktree, tip, { signal })
  return state ? restoreState(worktree, state, { signal }) : []
}
