import { createHash } from "node:crypto"
import { join } from "node:path"
import type { Clock } from "@switchyard/core/time"
import type { Git } from "../plumbing/git.ts"
import { createKnownGit, type KnownGit } from "../plumbing/known-git.ts"
import { openRepository } from "../plumbing/repository.ts"
import type { Reach } from "../remote/remotes.ts"
import { readAbout, type Worktree } from "./worktree-record.ts"

export interface WorktreesDeps {
  git: Git
  clock: Clock
  /** The repository's folder, which may be a bare repository. */
  repository: string
  /** The session's folder, outside the repository. */
  folder: string
  /** Prefix of the runner's records of the worktree. They are in a folder that agents can't write to. */
  notes: string
  /** Folder for repository locks and journals, which only the runner can write to. */
  journals: string
  /** Branch that contains the work. */
  branch: string
  /** Session ID, which becomes part of the names of kept work. */
  session?: string
  /** Name of the worktree within the session. */
  name?: string
  /** Retention of kept work; 30 days by default. */
  keptForMs?: number | undefined
  /** Prepares the start commit of a new worktree in the session's own repository. */
  begin?: (worktree: Worktree, options: Options) => Promise<void>
  /** Called while the files still exist, before the worktree's folder is removed. */
  beforeRemoval?: (worktree: Worktree, options: Options) => Promise<void>
  /** True if the repository is a clone made for this session. */
  isClone?: boolean
  /** True if the repository belongs to the session: it was cloned, or created from the session's files. */
  isOwn?: boolean
  /** Connects to the repository's remote. Needed if git can't connect directly. */
  reach?: Reach
  known?: KnownGit
}

interface Options {
  signal: AbortSignal
}

/** Locates a session's worktree of a repository. The worktree needn't exist. */
export async function openWorktree(deps: WorktreesDeps, { signal }: Options): Promise<Worktree> {
  const { git, clock, folder, notes, branch, known = createKnownGit() } = deps
  const repository = await openRepository(git, deps.repository, { signal, known: known.repositories })
  const journal = createHash("sha256").update(repository.commonDir).digest("hex").slice(0, 24)
  const about = await readAbout({ notes })
  const theirs = about?.taken_over
  return {
    ...{ git, known, clock, folder, notes, session: deps.session, branch: theirs?.branch ?? about?.branch ?? branch },
    ...{ name: deps.name, keptForMs: deps.keptForMs },
    repository: { ...repository, journals: join(deps.journals, journal) },
    tree: theirs?.tree ?? join(folder, "tree"),
    ...(theirs && { isTheirs: { branch: true, tree: theirs.tree !== null } }),
    scratch: join(folder, "merge"),
    isClone: deps.isClone ?? false,
    isOwn: deps.isOwn ?? false,
  }
}
