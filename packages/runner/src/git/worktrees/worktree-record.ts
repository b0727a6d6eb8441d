import { readdir, rm } from "node:fs/promises"
import { AppError } from "@switchyard/core/errors"
import { MergeResult, Skipped } from "@switchyard/core/files/worktrees/merge-schema"
import type { Clock } from "@switchyard/core/time"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../../files/atomic-json.ts"
import type { Git } from "../plumbing/git.ts"
import type { SharedRepository } from "../plumbing/repository.ts"

/** Worktree of a session in a repository, whether it exists or not, and the scratch worktree of its merges. */
export interface Worktree {
  git: Git
  clock: Clock
  repository: SharedRepository
  /** Folder for its files, outside the repository, so that nothing of the product appears there. */
  folder: string
  /** Prefix of the runner's own records of it, which no agent can write. */
  notes: string
  /** Folder that agents work in. */
  tree: string
  /** Private checkout for merges. */
  scratch: string
  branch: string
  /** True if the repository is this session's own clone. */
  isClone: boolean
  /** True if the repository is the session's own: a clone, or made of its files. */
  isOwn: boolean
  /** True if the branch, and the checkout, belong to a person and not to the session. */
  isTheirs?: { branch: boolean; tree: boolean }
  /** Session for the names of kept work; by default taken from the branch. */
  session?: string | undefined
  /** Name in the session. */
  name?: string | undefined
  keptForMs?: number | undefined
  /** Called before its folder is removed, while its files are still there. */
  beforeRemoval?: (options: { signal: AbortSignal }) => Promise<void>
}

/** Last save, as a ref of this checkout alone: no branch list shows it, and git's housekeeping keeps its objects. */
export const SAVE_REF = "refs/worktree/switchyard-saved"

export const Work = z.object({
  base_commit: z.string(),
  target_branch: z.string().nullable(),
  /** Branch of a person that the session works on. It is never deleted. */
  taken_over: z
    .object({
      branch: z.string(),
      /** The person's checkout of it, which is never deleted either; null for a checkout of the session's own. */
      tree: z.string().nullable(),
    })
    .optional(),
  /** Place of the work in a repository of this machine, for its removal once the session's log is gone. */
  origin: z.object({ repository: z.string(), branch: z.string(), worktree: z.string() }).optional(),
})
export type Work = z.infer<typeof Work>

const Entry = z.object({ mode: z.string(), blob: z.string() }).nullable()
/** Entries of a path in the common ancestor, ours and theirs. */
export const Stages = z.tuple([Entry, Entry, Entry])
export type Stages = z.infer<typeof Stages>

const Resolved = z.object({ path: z.string(), stages: Stages, entry: Entry })
export type Resolved = z.infer<typeof Resolved>

/** Unfinished merge, with all that is needed to start again if its checkout is lost or the branch moves. */
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
  /** Commit that the branch is about to move to. */
  commit: z.string().nullable(),
  /** Command that started or continues it. */
  command: z.string().optional(),
  /** True if the repository's hooks run, and the commit is signed as configured. */
  run_hooks: z.boolean().default(false),
  /** Submodules with commits that their remotes aren't known to have. */
  unpublished: z.array(z.string()).optional(),
  /** True if files may have conflict markers. */
  allow_markers: z.boolean().default(false),
  /** Hooks and signing that the commit skipped. */
  skipped: Skipped.optional(),
})
export type Pending = z.infer<typeof Pending>

const Merged = z.object({
  target_branch: z.string(),
  /** Absent in records of older versions. */
  move: z.object({ from: z.string(), to: z.string() }).optional(),
  /** Answer of the merge, until another worktree exists. */
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

/** Reads the record of the work, even if its folder is missing. */
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

/** Adds the origin to the record of an older version. */
export async function noteOrigin(worktree: Worktree): Promise<void> {
  const work = worktree.isOwn ? undefined : await readAbout(worktree)
  if (work && !work.origin) await writeWork(worktree, work)
}

/** Lists the prefixes of the records in a folder of notes. */
export async function recordsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.endsWith(RECORD)).map((name) => name.slice(0, -RECORD.length))
}

/** Removes the record: from here on there is no worktree, even if files are left. */
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

/** Records a merge beyond the worktree, which may be deleted with it. */
export async function writeMerged(worktree: Worktree, merged: Merged): Promise<void> {
  await writeAtomically(mergedFile(worktree), merged)
}

export async function findMerged(worktree: Worktree): Promise<Merged | undefined> {
  const text = await readIfExists(mergedFile(worktree))
  return text === undefined ? undefined : Merged.parse(JSON.parse(text))
}

/** Removes the answer of the last merge, because the next one is of another worktree. */
export async function forgetMergeAnswer(worktree: Worktree): Promise<void> {
  const { answer, ...merged } = (await findMerged(worktree)) ?? {}
  if (answer) await writeMerged(worktree, Merged.parse(merged))
}

/** Removes the worktree's folder, and the record of a merge with the merge's checkout in it. */
export async function removeFolder(worktree: Worktree): Promise<void> {
  await worktree.git.files.remove(worktree.folder)
  await rm(pendingFile(worktree), { force: true })
}

/** Ends a merge, whether or not it was committed. */
export async function dropPending(worktree: Worktree, { signal }: { signal: AbortSignal }): Promise<void> {
  await rm(pendingFile(worktree), { force: true })
  await removeCheckout(worktree, worktree.scratch, { signal })
}

/** Removes one of the product's checkouts in any state. Unreachable checkouts of the user stay registered. */
export async function removeCheckout(
  { git, repository }: Worktree,
  path: string,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const remove = () =>
    git(["worktree", "remove", "--force", "--force", "--", path], { cwd: repository.folder, signal, accept: [128] })
  // Git has a folder for registered checkouts, and removes it with the last.
  if (!(await git.files.exists(`${repository.commonDir}/worktrees`))) return git.files.remove(path)
  const { code } = await remove()
  await git.files.remove(path)
  // Git doesn't remove a broken checkout, but unregisters one that is gone.
  if (code !== 0) await remove()
}
