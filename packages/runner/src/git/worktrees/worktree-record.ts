import { rm } from "node:fs/promises"
import { AppError } from "@switchyard/core/errors"
import { Skipped } from "@switchyard/core/files/worktrees/schema"
import type { Clock } from "@switchyard/core/time"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../../files/atomic-json.ts"
import type { Git } from "../plumbing/git.ts"
import { exists, type Repository } from "../plumbing/repository.ts"

/** What one session has of a repository: its own folder, with the work and, while one is made, a merge. */
export interface Worktree {
  git: Git
  clock: Clock
  repository: Repository
  /** Outside the repository, so that nothing of ours ever shows in it. */
  folder: string
  /** Where the agents work. */
  tree: string
  /** A checkout that nobody else looks at, for merges. */
  scratch: string
  /** The branch that the work is on. */
  branch: string
  /** Whether the repository is a clone that nobody but this session has. */
  isClone: boolean
  /** Whether the repository is nobody's but the session's, a clone or one of its files. */
  isOwn: boolean
}

export const Work = z.object({ base_commit: z.string(), target_branch: z.string().nullable() })
export type Work = z.infer<typeof Work>

const Entry = z.object({ mode: z.string(), blob: z.string() }).nullable()
/** What the common ancestor, ours and theirs have at a path. */
export const Stages = z.tuple([Entry, Entry, Entry])
export type Stages = z.infer<typeof Stages>

const Resolved = z.object({ path: z.string(), stages: Stages, entry: Entry })
export type Resolved = z.infer<typeof Resolved>

/** A merge that isn't made yet. All that is needed to begin it again, should its checkout be lost or the branch move on. */
export const Pending = z.object({
  direction: z.enum(["merge", "update"]),
  target_branch: z.string(),
  ours: z.string(),
  theirs: z.string(),
  message: z.string(),
  strategy: z.enum(["squash", "merge"]),
  delete_worktree: z.boolean(),
  notes: z.array(z.string()),
  /** Paths as bytes. */
  resolved: z.array(Resolved),
  /** What the branch is about to be moved to. */
  commit: z.string().nullable(),
  /** The command that began it, or goes on with it. */
  command: z.string().optional(),
  /** Whether the repository's hooks are run, and the commit is signed as its settings say. */
  run_hooks: z.boolean().default(false),
  /** What the commit was made without. */
  skipped: Skipped.optional(),
})
export type Pending = z.infer<typeof Pending>

const Merged = z.object({ target_branch: z.string() })

const mergedFile = ({ folder }: Worktree) => `${folder}.merged.json`
const workFile = ({ folder }: Worktree) => `${folder}/worktree.json`
const pendingFile = ({ folder }: Worktree) => `${folder}/merge.json`

export async function findWork(worktree: Worktree): Promise<Work | undefined> {
  const about = await readAbout(worktree)
  return about && (await exists(worktree.tree)) ? about : undefined
}

/** What is known of the work, be its folder there or not. */
export async function readAbout(worktree: Worktree): Promise<Work | undefined> {
  const text = await readIfExists(workFile(worktree))
  return text === undefined ? undefined : Work.parse(JSON.parse(text))
}

export async function readWork(worktree: Worktree): Promise<Work> {
  const work = await findWork(worktree)
  if (!work) throw new AppError("worktree_not_found", "The session has no worktree.")
  return work
}

export function writeWork(worktree: Worktree, work: Work): Promise<void> {
  return writeAtomically(workFile(worktree), work)
}

/** From here on there is no worktree, whatever of it still lies there. */
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

/** Remembers where the work went, for there may be no worktree any more that knows it. */
export async function writeMerged(worktree: Worktree, target_branch: string): Promise<void> {
  await writeAtomically(mergedFile(worktree), { target_branch })
}

/** The branch that was merged into last. */
export async function findMerged(worktree: Worktree): Promise<string | undefined> {
  const text = await readIfExists(mergedFile(worktree))
  return text === undefined ? undefined : Merged.parse(JSON.parse(text)).target_branch
}

/** Ends a merge, whether it was made or not. */
export async function dropPending(worktree: Worktree, { signal }: { signal: AbortSignal }): Promise<void> {
  await rm(pendingFile(worktree), { force: true })
  await removeCheckout(worktree, worktree.scratch, { signal })
}

/** Removes a checkout of ours, whatever state it is in. Those of others that can't be reached stay as they are. */
export async function removeCheckout(
  { git, repository }: Worktree,
  path: string,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const remove = () =>
    git(["worktree", "remove", "--force", "--force", "--", path], { cwd: repository.folder, signal, accept: [128] })
  const { code } = await remove()
  await rm(path, { recursive: true, force: true })
  // Git doesn't remove what it can't make sense of, but forgets what is gone.
  if (code !== 0) await remove()
}
