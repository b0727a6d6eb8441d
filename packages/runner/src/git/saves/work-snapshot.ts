import { AppError } from "@switchyard/core/errors"
import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import type { CommittedFiles } from "@switchyard/core/files/worktrees/worktrees"
import * as z from "zod"
import { refusedAmong } from "../plumbing/add-files.ts"
import { type GitPath, inFolder, toText } from "../plumbing/git-path.ts"
import { checkedOut, line } from "../plumbing/repository.ts"
import { commitTree, OURS, snapshot, writeEmptyTree } from "../plumbing/snapshot.ts"
import { findLosses } from "../worktrees/losses.ts"
import { stageWork } from "../worktrees/stray-gitlinks.ts"
import {
  findPending,
  findWork,
  Pending,
  readAbout,
  SAVE_REF,
  Work,
  type Worktree,
} from "../worktrees/worktree-record.ts"
import { innerTrees, saveState, WorktreeState } from "./worktree-state.ts"

interface Options {
  signal: AbortSignal
}

/** A session's work at one point in time, complete enough to be restored on another machine. */
export interface WorkSnapshot {
  /** Digest of the work. Equal work has an equal digest. */
  digest: string
  /**
   * Creates a commit that makes all objects reachable, on top of the save `since`. The next bundle can then omit these
   * objects.
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
  /** State of the checkout, excluding its files. Absent in saves from older versions. */
  state: WorktreeState.optional(),
})
export type Note = z.infer<typeof Note>

const FILE_LIMIT_BYTES = 100 * 1024 * 1024

/**
 * Takes a snapshot of a session's work, including uncommitted changes. Doesn't change the work. With `own`, the
 * repository and all its branches belong to the session. Returns undefined if there is nothing to save. Right after a
 * commit, `committed` saves looking at the worktree again.
 */
export async function takeWorkSnapshot(
  worktree: Worktree,
  own: boolean,
  { committed: last, ...options }: Options & { committed?: CommittedFiles | undefined },
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
  const losses = work && (await findLosses(worktree, { committed: last, ...options }))
  const asFolders = losses?.hollow ?? []
  const committed = asFolders.length === 0 ? last : undefined
  const files = !work
    ? { tree: await writeEmptyTree(git, repository.folder, options), leftOut: [] }
    : committed
      ? { tree: committed.tree, leftOut: [] }
      : await stageWork(snapshot, git, worktree.tree, work.base_commit, { ...options, leaveOut, asFolders })
  const head = work && (committed?.head ?? (await checkedOut(git, cwd, worktree.branch, options)).commit)
  const pending = (await findPending(worktree)) ?? null
  const heads = own ? await headsOf(worktree, options) : {}
  const saved = losses && (await saveState(worktree, losses, own, options))
  const state = saved?.state
  const leftInside = saved?.leftOut ?? []
  const note: Note = { heads, work: work && head ? { head, about: work } : null, pending, ...(state && { state }) }
  const blobs = (pending?.resolved ?? []).flatMap(({ entry }) => (entry && entry.mode !== "160000" ? [entry.blob] : []))
  const listing = [
    `040000 tree ${files.tree}\tfiles`,
    ...[...new Set(blobs)].map((blob) => `100644 blob ${blob}\t${blob}`),
    ...(state?.index ? [`040000 tree ${state.index}\tindex`] : []),
    ...(state ? await innerTrees(git, cwd, state, options) : []),
  ]
  const tree = (await git(["mktree"], { ...call, input: `${listing.join("\n")}\n` })).stdout.toString().trim()
  const tips = [head, pending?.ours, pending?.theirs, ...Object.values(heads), ...(state?.tips ?? [])]
  const message = JSON.stringify(note)
  const leftOut = [
    ...large.map((path) => ({ path: toText(path), reason: "too_large" as const })),
    ...refusedAmong(files.leftOut),
    ...files.leftOut
      .filter(({ isWorktree }) => isWorktree)
      .map(({ path }) => ({ path: toText(path), reason: "worktree" as const }))
      .filter(({ path }) => !leftInside.some((inner) => path === `${inner.path}/`)),
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

/**
 * Moves `SAVE_REF` to a snapshot's commit, and bundles the snapshot's objects, except those in an older snapshot or in
 * the original repository.
 */
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

/** True if the repository still contains this commit. */
export async function hasCommit({ git, repository }: Worktree, commit: string, { signal }: Options): Promise<boolean> {
  const { code } = await git(["cat-file", "-e", `${commit}^{commit}`], {
    ...{ cwd: repository.folder, signal },
    accept: [1, 128],
  })
  return code === 0
}

/**
 * Returns the work's commit and record from a snapshot. Returns undefined if the repository doesn't contain the
 * snapshot.
 */
export async function readWorkSnapshot(
  worktree: Worktree,
  tip: string,
  options: Options,
): Promise<{ head: string; about: Work } | undefined> {
  if (!(await hasCommit(worktree, tip, options))) return undefined
  return (await readNote(worktree, tip, options)).work ?? undefined
}

export async function readNote({ git, repository }: Worktree, tip: string, options: Options): Promise<Note> {
  const { stdout } = await git(["cat-file", "commit", tip], { cwd: repository.folder, ...options })
  const message = stdout.toString()
  return Note.parse(JSON.parse(message.slice(message.indexOf("\n\n") + 2)))
}

async function headsOf({ git, repository }: Worktree, { signal }: Options): Promise<Record<string, string>> {
  const asked = ["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/", "refs/tags/"]
  const { stdout } = await git(asked, { cwd: repository.folder, signal })
  const lines = stdout.toString().split("\n").filter(Boolean)
  return Object.fromEntries(lines.map((each) => each.split(" ") as [string, string]))
}

/** Returns the files that are too large for a save. */
async function largeAmong({ git, tree }: Worktree, changed: GitPath[]): Promise<GitPath[]> {
  const sizes = changed.map(async (path) => {
    const found = await git.files.lstat(inFolder(tree, path)).catch(() => undefined)
    return found?.kind === "file" && found.size > FILE_LIMIT_BYTES ? [path] : []
  })
  return (await Promise.all(sizes)).flat()
}
