import { readdir, rm } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { AppError } from "@switchyard/core/errors"
import { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { MergeResult, Skipped } from "@switchyard/core/files/worktrees/merge-schema"
import type { Clock } from "@switchyard/core/time"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../../files/atomic-json.ts"
import type { Files } from "../../files/files.ts"
import type { Git } from "../plumbing/git.ts"
import type { KnownGit } from "../plumbing/known-git.ts"
import type { Repository, SharedRepository } from "../plumbing/repository.ts"

/** A session's worktree of a repository, and the scratch worktree for its merges. Neither needs to exist. */
export interface Worktree {
  git: Git
  known: KnownGit
  clock: Clock
  repository: SharedRepository
  /**
   * Folder that contains the worktree. It is outside the repository, because the repository must not contain any of our
   * files.
   */
  folder: string
  /** Prefix of the runner's records of the worktree. Agents can't write to them. */
  notes: string
  /** Checkout where agents work. */
  tree: string
  /** Checkout for merges, which agents don't use. */
  scratch: string
  branch: string
  /** True if the repository is a clone belonging to this session. */
  isClone: boolean
  /** True if the repository belongs to the session: it was cloned, or created from the session's files. */
  isOwn: boolean
  /** Set if the branch belongs to a user and not to the session. The checkout may belong to the user too. */
  isTheirs?: { branch: boolean; tree: boolean }
  /** Session ID for the names of kept work. By default, it is taken from the branch. */
  session?: string | undefined
  /** Name within the session. */
  name?: string | undefined
  keptForMs?: number | undefined
  /** Called while the worktree's files still exist, before its folder is removed. */
  beforeRemoval?: (options: { signal: AbortSignal }) => Promise<void>
}

/**
 * Ref of the last save. The ref is visible only in this checkout and isn't listed with the branches, but git's gc
 * respects it.
 */
export const SAVE_REF = "refs/worktree/switchyard-saved"

export const Work = z.object({
  base_commit: z.string(),
  /** The session's own branch. Absent if the session took over a branch, and in records from older versions. */
  branch: z.string().optional(),
  target_branch: z.string().nullable(),
  /** Commit that the worktree was created from, whose rules apply. Absent in records from older versions. */
  rules_commit: z.string().optional(),
  /** The user's branch that the session works on. The session never deletes it. */
  taken_over: z
    .object({
      branch: z.string(),
      /**
       * The user's checkout of the branch, which the session never deletes either. Null if the session has its own
       * checkout.
       */
      tree: z.string().nullable(),
    })
    .optional(),
  /** Location of the work on this machine. Needed to remove the work after the session's log was deleted. */
  origin: z.object({ repository: z.string(), branch: z.string(), worktree: z.string() }).optional(),
})
export type Work = z.infer<typeof Work>

const Entry = z.object({ mode: z.string(), blob: z.string() }).nullable()
/** A path's index entries: the common ancestor's, ours and theirs. */
export const Stages = z.tuple([Entry, Entry, Entry])
export type Stages = z.infer<typeof Stages>

const Resolved = z.object({ path: z.string(), stages: Stages, entry: Entry })
export type Resolved = z.infer<typeof Resolved>

/**
 * An unfinished merge, with everything that is needed to start it again if its checkout is lost or the branch moves.
 */
export const Pending = z.object({
  direction: z.enum(["merge", "update"]),
  target_branch: z.string(),
  ours: z.string(),
  theirs: z.string(),
  message: z.string(),
  strategy: z.enum(["squash", "merge"]),
  delete_worktree: z.boolean(),
  notes: z.array(z.string()),
  /** Paths are `GitPath`s. */
  resolved: z.array(Resolved),
  /** Commit that the merge is about to move the branch to. */
  commit: z.string().nullable(),
  /** ID of the command that started or last continued the merge. */
  command: z.string().optional(),
  /** True if the merge should run the repository's hooks and sign the commit as configured. */
  run_hooks: z.boolean().default(false),
  /** Submodules whose commits aren't known to be on their remotes. */
  unpublished: z.array(z.string()).optional(),
  /** Files that the work changed but that git refuses to add. */
  refused: z.array(SkippedFile).optional(),
  /** True if files may contain conflict markers. */
  allow_markers: z.boolean().default(false),
  /** Hooks and signing that were skipped for the commit. */
  skipped: Skipped.optional(),
})
export type Pending = z.infer<typeof Pending>

const Merged = z.object({
  target_branch: z.string(),
  /** Commits between which the merge moved its target branch. Absent in records from older versions. */
  move: z.object({ from: z.string(), to: z.string() }).optional(),
  /** The merge's result. It is kept until the session creates another worktree. */
  answer: MergeResult.optional(),
})
export type Merged = z.infer<typeof Merged>

const RECORD = ".worktree.json"
const workFile = ({ notes }: Pick<Worktree, "notes">) => `${notes}${RECORD}`
const pendingFile = ({ notes }: Worktree) => `${notes}.merge.json`
const mergedFile = ({ notes }: Worktree) => `${notes}.merged.json`

export async function findWork(worktree: Worktree): Promise<Work | undefined> {
  const about = await readAbout(worktree)
  return about && (await worktree.git.files.exists(worktree.tree)) ? about : undefined
}

/** Reads the work's record, even if its folder is missing. */
export async function readAbout(worktree: Pick<Worktree, "notes">): Promise<Work | undefined> {
  const text = await readIfExists(workFile(worktree))
  return text === undefined ? undefined : Work.parse(JSON.parse(text))
}

export async function readWork(worktree: Worktree): Promise<Work> {
  const work = await findWork(worktree)
  if (!work) throw new AppError("worktree_not_found", "The session has no worktree.")
  return work
}

export function writeWork(worktree: Worktree, work: Work): Promise<void> {
  const { isOwn, name, branch, repository } = worktree
  const origin = !isOwn && name !== undefined && { repository: repository.folder, branch, worktree: name }
  return writeAtomically(workFile(worktree), origin ? { ...work, origin } : work)
}

/** Adds the work's origin to a record from an older version. */
export async function noteOrigin(worktree: Worktree): Promise<void> {
  const work = worktree.isOwn ? undefined : await readAbout(worktree)
  if (work && !work.origin) await writeWork(worktree, work)
}

/** Lists the prefixes of the records in a notes folder. */
export async function recordsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.endsWith(RECORD)).map((name) => name.slice(0, -RECORD.length))
}

/** Removes the record. After that, the worktree counts as deleted, even if some of its files remain. */
export async function dropWork(worktree: Worktree): Promise<void> {
  await rm(workFile(worktree), { force: true })
}

export async function findPending(worktree: Worktree): Promise<Pending | undefined> {
  const text = await readIfExists(pendingFile(worktree))
  return text === undefined ? undefined : Pending.parse(JSON.parse(text))
}

export function writePending(worktree: Worktree, pending: Pending): Promise<void> {
  return writeAtomically(pendingFile(worktree), pending)
}

/** Records a merge outside the worktree's folder, because the merge may delete that folder. */
export async function writeMerged(worktree: Worktree, merged: Merged): Promise<void> {
  await writeAtomically(mergedFile(worktree), merged)
}

export async function findMerged(worktree: Worktree): Promise<Merged | undefined> {
  const text = await readIfExists(mergedFile(worktree))
  return text === undefined ? undefined : Merged.parse(JSON.parse(text))
}

/** Removes the last merge's result, because the next merge comes from another worktree. */
export async function forgetMergeAnswer(worktree: Worktree): Promise<void> {
  const { answer, ...merged } = (await findMerged(worktree)) ?? {}
  if (answer) await writeMerged(worktree, Merged.parse(merged))
}

/** Removes the worktree's folder, including the checkout of an unfinished merge, and the record of that merge. */
export async function removeFolder(worktree: Worktree): Promise<void> {
  await worktree.git.files.remove(worktree.folder)
  await rm(pendingFile(worktree), { force: true })
}

/** Ends a merge, even if it wasn't committed. */
export async function dropPending(worktree: Worktree, { signal }: { signal: AbortSignal }): Promise<void> {
  await rm(pendingFile(worktree), { force: true })
  await removeCheckout(worktree, worktree.scratch, { signal })
}

/**
 * Removes one of our own checkouts, whatever its state. Users' checkouts stay registered even if they can't be reached.
 */
export async function removeCheckout(
  { git, repository }: Worktree,
  path: string,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  // Git records the real path, and can't find it under another name once the folder is gone.
  const place = join(await realFolder(git.files, dirname(path)), basename(path))
  // Exit code 255 means that git can't remove a folder, for example because it is read-only.
  const call = { cwd: repository.folder, signal, accept: [128, 255] }
  const remove = () => git(["worktree", "remove", "--force", "--force", "--", place], call)
  if (!(await isRegistered(git.files, repository, place))) return git.files.remove(path)
  const { code } = await remove()
  await git.files.remove(path)
  // Git refuses to remove a broken checkout, but deregisters the checkout once its folder is gone.
  if (code !== 0) await remove()
}

/** True if the repository has, or may have, a record of a checkout at this real path. */
async function isRegistered(files: Files, { commonDir }: Repository, path: string): Promise<boolean> {
  const records = join(commonDir, "worktrees")
  if (!(await files.exists(records))) return false
  for (const { name } of await files.list(records)) {
    const gitDir = join(records, name.toString())
    const link = await files.readText(join(gitDir, "gitdir")).catch(() => undefined)
    if (link === undefined || resolve(gitDir, link.trimEnd()) === join(path, ".git")) return true
  }
  return false
}

/**
 * Returns a folder's path with links resolved, as git records it, even if the folder or its parent folders don't exist.
 */
export async function realFolder(files: Files, folder: string): Promise<string> {
  const parent = dirname(folder)
  const missing = async () => (parent === folder ? folder : join(await realFolder(files, parent), basename(folder)))
  return files.realpath(folder).catch(missing)
}
