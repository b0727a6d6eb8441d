import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import * as z from "zod"
import { restorePending } from "../merge/merge-engine.ts"
import { type Git, NO_PERSON } from "../plumbing/git.ts"
import { type GitPath, inFolder, toText } from "../plumbing/git-path.ts"
import { checkedOut, detachBranch, line } from "../plumbing/repository.ts"
import { commitTree, gitDirOf, OURS, snapshot, writeEmptyTree } from "../plumbing/snapshot.ts"
import { checkOutSubmodules } from "../worktrees/check-out-submodules.ts"
import { keepWork } from "../worktrees/keep-work.ts"
import { findLosses, type Losses } from "../worktrees/losses.ts"
import { AGENT_GIT } from "../worktrees/lost-commits.ts"
import { stageWork } from "../worktrees/stray-gitlinks.ts"
import {
  findPending,
  findWork,
  Pending,
  readAbout,
  removeCheckout,
  removeFolder,
  SAVE_REF,
  Work,
  type Worktree,
  writePending,
  writeWork,
} from "../worktrees/worktree-record.ts"
import { CheckoutState, restoreCheckout, restoreStash, StashEntry, saveCheckout, stashOf } from "./checkout-state.ts"
import { InnerSave, restoreInner, saveInner } from "./inner-saves.ts"

interface Options {
  signal: AbortSignal
}

/** A session's work at one point in time, complete enough to restore it on another machine. */
export interface WorkSnapshot {
  /** Digest that is equal for equal work. */
  digest: string
  /**
   * Creates a commit from which all objects are reachable, on top of the save `since`. The next bundle can then omit
   * them.
   */
  commit(since: string | null): Promise<string>
  /** Files that are too large, or that git refuses. */
  leftOut: SkippedFile[]
}

/** Contents of the commit message, as JSON. */
const Note = z.object({
  /** Branches and tags of a repository that belongs to the session. */
  heads: z.record(z.string(), z.string()),
  work: z.object({ head: z.string(), about: Work }).nullable(),
  pending: Pending.nullable(),
  /** State of the checkout apart from its files; absent in saves from older versions. */
  state: CheckoutState.extend({
    /** Commits referenced only by the checkout's own records, such as reflogs. */
    tips: z.array(z.string()),
    stash: z.array(StashEntry),
    inner: z.array(InnerSave),
  }).optional(),
})
type Note = z.infer<typeof Note>

const RESTORED = "refs/switchyard/restored"
/** Refs visible only in the restored checkout, for commits that only the lost checkout's reflogs contained. */
const SAVED_TIPS = "refs/worktree/switchyard-restored"

const FILE_LIMIT_BYTES = 100 * 1024 * 1024

/**
 * Takes a snapshot of a session's work, including uncommitted changes, without touching it. `own` means that the
 * repository and all its branches belong to the session. Returns undefined if there is nothing to save.
 */
export async function takeWorkSnapshot(
  worktree: Worktree,
  own: boolean,
  options: Options,
): Promise<WorkSnapshot | undefined> {
  const work = await findWork(worktree)
  if (!work && (await readAbout(worktree))) throw new AppError("worktree_damaged", "The worktree's folder is gone.")
  if (!work && !own) return undefined
  const { git, repository } = worktree
  const cwd = work ? worktree.tree : repository.folder
  const call = { cwd, ...options }
  let large: GitPath[] = []
  const leaveOut = async (changed: GitPath[]) => {
    large = await largeAmong(worktree, changed)
    return large
  }
  const losses = work && (await findLosses(worktree, options))
  const asFolders = losses?.hollow ?? []
  const files = work
    ? await stageWork(snapshot, git, worktree.tree, work.base_commit, { ...options, leaveOut, asFolders })
    : { tree: await writeEmptyTree(git, repository.folder, options), leftOut: [] }
  const head = work && (await checkedOut(git, cwd, worktree.branch, options)).commit
  const pending = (await findPending(worktree)) ?? null
  const heads = own ? await headsOf(worktree, options) : {}
  const { state, leftOut: leftInside } = losses ? await saveState(worktree, losses, own, options) : NO_STATE
  const note: Note = { heads, work: work && head ? { head, about: work } : null, pending, ...(state && { state }) }
  const blobs = (pending?.resolved ?? []).flatMap(({ entry }) => (entry && entry.mode !== "160000" ? [entry.blob] : []))
  const listing = [
    `040000 tree ${files.tree}\tfiles`,
    ...[...new Set(blobs)].map((blob) => `100644 blob ${blob}\t${blob}`),
    ...(state?.index ? [`040000 tree ${state.index}\tindex`] : []),
    ...(await innerTrees(git, cwd, state, options)),
  ]
  const tree = (await git(["mktree"], { ...call, input: `${listing.join("\n")}\n` })).stdout.toString().trim()
  const tips = [head, pending?.ours, pending?.theirs, ...Object.values(heads), ...(state?.tips ?? [])]
  const message = JSON.stringify(note)
  const leftOut = [
    ...large.map((path) => ({ path: toText(path), reason: "too_large" as const })),
    ...files.leftOut
      .filter((path) => !leftInside.some((inner) => path === `${inner.path}/`))
      .map((path) => ({ path, reason: "unreadable" as const })),
    ...leftInside,
  ]
  return {
    digest: `${tree} ${message}`,
    commit(since) {
      const parents = [...new Set([...tips, since])].filter((each) => each != null)
      return commitTree(git, cwd, { tree, parents, message, author: OURS }, options)
    },
    leftOut,
  }
}

type State = NonNullable<Note["state"]>

const NO_STATE: { state?: State; leftOut: SkippedFile[] } = { leftOut: [] }

async function saveState(worktree: Worktree, losses: Losses, own: boolean, options: Options) {
  const { git, tree: cwd } = worktree
  const call = { cwd, ...options }
  // Reuse equal bundles from the previous save.
  const since = (name: string) => line(git, ["rev-parse", "--verify", "--quiet", `${SAVE_REF}:inner/${name}`], call)
  const inner = await saveInner(worktree, losses, since, options)
  const stash = (await hasOwnStash(worktree, own)) ? await stashOf(git, call) : []
  const state: State = {
    ...(await saveCheckout(git, losses, cwd, options)),
    tips: [...new Set([...losses.heads, ...inner.tips, ...stash.map(({ commit }) => commit)])],
    stash,
    inner: inner.saves,
  }
  return { state, leftOut: inner.leftOut }
}

/** True if the stash is the agent's own: it is in the agent's sandbox or in the session's own repository. */
async function hasOwnStash({ git, folder }: Worktree, own: boolean): Promise<boolean> {
  return own || (await git.files.exists(join(folder, AGENT_GIT)))
}

async function restoreState(worktree: Worktree, state: State, options: Options): Promise<string[]> {
  const { git, tree: cwd, isOwn } = worktree
  const gitDir = await gitDirOf(git.files, cwd)
  const failed = await restoreInner(worktree, gitDir, state.inner, options)
  const stashed = (await hasOwnStash(worktree, isOwn)) ? state.stash : []
  await restoreStash(git, cwd, stashed, options)
  const rest = state.tips.filter((tip) => !stashed.some(({ commit }) => commit === tip))
  const lines = rest.map((tip) => `update ${SAVED_TIPS}/${tip.slice(0, 12)} ${tip}\n`)
  await git(["update-ref", "--stdin"], { cwd, input: lines.join(""), ...options })
  await restoreCheckout(git, { cwd, gitDir }, { ...state, keeper: cwd }, options)
  return failed
}

/** Returns trees that reference the operations and the bundles of nested repositories. */
async function innerTrees(git: Git, cwd: string, state: State | undefined, options: Options): Promise<string[]> {
  if (!state) return []
  const operations = [state.operation, ...state.inner.map(({ operation }) => operation)]
  const trees = [...new Set(operations)].flatMap((tree) => (tree ? [`040000 tree ${tree}\t${tree}`] : []))
  const bundles = state.inner.map(({ name, bundle }) => `100644 blob ${bundle}\t${name}`)
  const folder = async (name: string, listing: string[]) => {
    if (listing.length === 0) return []
    const made = await git(["mktree"], { cwd, input: `${listing.join("\n")}\n`, ...options })
    return [`040000 tree ${made.stdout.toString().trim()}\t${name}`]
  }
  return [...(await folder("operations", trees)), ...(await folder("inner", bundles))]
}

/** Bundles a snapshot's objects that are neither in an older snapshot nor in the original repository. */
export async function bundleWorkSnapshot(
  worktree: Worktree,
  { commit, since, own, file }: { commit: string; since: string | null; own: boolean; file: string },
  { signal }: Options,
): Promise<void> {
  const { git } = worktree
  const work = await findWork(worktree)
  const call = { cwd: work ? worktree.tree : worktree.repository.folder, signal }
  await git(["update-ref", SAVE_REF, commit], call)
  const remote = own && (await line(git, ["for-each-ref", "--format=%(objectname)", "refs/remotes/origin/"], call))
  const known = remote ? remote.split("\n") : own ? [] : [work?.base_commit]
  const without = [...new Set([since, ...known])].flatMap((each) => (each ? [`^${each}`] : []))
  await git(["bundle", "create", "--quiet", file, "--stdin"], { ...call, input: [SAVE_REF, ...without, ""].join("\n") })
}

/** True if the repository still has this commit. */
export async function hasCommit({ git, repository }: Worktree, commit: string, { signal }: Options): Promise<boolean> {
  const { code } = await git(["cat-file", "-e", `${commit}^{commit}`], {
    ...{ cwd: repository.folder, signal },
    accept: [1, 128],
  })
  return code === 0
}

/** Returns the work's commit and record from a snapshot, or undefined if the repository doesn't have the snapshot. */
export async function readWorkSnapshot(
  worktree: Worktree,
  tip: string,
  options: Options,
): Promise<{ head: string; about: Work } | undefined> {
  if (!(await hasCommit(worktree, tip, options))) return undefined
  return (await readNote(worktree, tip, options)).work ?? undefined
}

async function readNote({ git, repository }: Worktree, tip: string, options: Options): Promise<Note> {
  const { stdout } = await git(["cat-file", "commit", tip], { cwd: repository.folder, ...options })
  const message = stdout.toString()
  return Note.parse(JSON.parse(message.slice(message.indexOf("\n\n") + 2)))
}

/**
 * Restores a snapshot from its bundles, in order. Replaces an existing worktree after storing its work. A forked
 * session doesn't get a branch that was taken over or a pending merge, because they remain with the original session.
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

/** Fetches snapshots into the repository, from which `restoreWorkSnapshot` restores the work. */
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
  // Don't run the user's git filters: their programs may come from the session's files.
  if (bare === "false") await git(["reset", "--quiet", "--hard"], { ...call, env: NO_PERSON })
}

async function restoreWork(
  worktree: Worktree,
  { head, about }: NonNullable<Note["work"]>,
  tip: string,
  options: Options,
): Promise<string[]> {
  // The worktree may contain work that isn't in any save.
  if (await worktree.git.files.exists(worktree.tree)) await keepWork(worktree, options)
  await removeCheckout(worktree, worktree.scratch, options)
  await removeCheckout(worktree, worktree.tree, options)
  await removeFolder(worktree)
  const failed = await checkOutWork(worktree, { head, tip }, options)
  await writeWork(worktree, about)
  return failed
}

/** Replaces the worktree with its committed work or a snapshot. Returns nested repositories that can't be restored. */
export async function checkOutWork(
  worktree: Worktree,
  { head, tip }: { head: string; tip: string | null },
  { signal }: Options,
): Promise<string[]> {
  const { git, repository, tree, branch } = worktree
  await removeCheckout(worktree, tree, { signal })
  await detachBranch(git, repository, branch, { signal })
  const add = ["worktree", "add", "--quiet", "--force", "--no-track", "--no-checkout", "-B", branch, "--", tree, head]
  await git(add, { cwd: repository.folder, signal })
  const call = { cwd: tree, signal }
  // Runs in the sandbox, if there is one: the commit is an agent's.
  await git(["reset", "--quiet", "--hard"], call)
  await checkOutSubmodules(git, { cwd: tree, modules: join(repository.commonDir, "modules") }, { signal })
  if (tip === null) return []
  await git(["read-tree", "--reset", "-u", `${tip}:files`], call)
  await git(["reset", "--quiet"], call)
  await git(["update-ref", SAVE_REF, tip], call)
  const { state } = await readNote(worktree, tip, { signal })
  return state ? restoreState(worktree, state, { signal }) : []
}

async function headsOf({ git, repository }: Worktree, { signal }: Options): Promise<Record<string, string>> {
  const asked = ["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/", "refs/tags/"]
  const { stdout } = await git(asked, { cwd: repository.folder, signal })
  const lines = stdout.toString().split("\n").filter(Boolean)
  return Object.fromEntries(lines.map((each) => each.split(" ") as [string, string]))
}

/** Returns files that are too large to be saved repeatedly. */
async function largeAmong({ git, tree }: Worktree, changed: GitPath[]): Promise<GitPath[]> {
  const sizes = changed.map(async (path) => {
    const found = await git.files.lstat(inFolder(tree, path)).catch(() => undefined)
    return found?.kind === "file" && found.size > FILE_LIMIT_BYTES ? [path] : []
  })
  return (await Promise.all(sizes)).flat()
}
