import * as z from "zod"
import { ONE_LINE } from "../../people/access/schema.ts"

/** The worktree of a session for which no other is named. */
export const MAIN_WORKTREE = "main"

/** A session's own name of a worktree; not of a folder or a branch. */
export const WorktreeName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)

/** The worktree of an event; left out for `main`. */
export const inWorktree = { worktree: WorktreeName.optional().describe("`main` if it isn't named") }

/** The fields that say in which worktree an event happened. */
export function namedWorktree(name: string): { worktree?: string } {
  return name === MAIN_WORKTREE ? {} : { worktree: name }
}

/** The name of a git branch. */
export const BranchName = z.string().min(1).max(255).regex(ONE_LINE, "It must be a single line of text.")
