import * as z from "zod"
import { ONE_LINE } from "../../people/access/schema.ts"

/** Name of a session's default worktree. */
export const MAIN_WORKTREE = "main"

/** A worktree's name within its session. It isn't a folder or branch name. */
export const WorktreeName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)

/** Worktree that an event is about. Omitted for `main`. */
export const inWorktree = { worktree: WorktreeName.optional().describe("`main` if omitted") }

/** Returns the fields that identify an event's worktree. */
export function namedWorktree(name: string): { worktree?: string } {
  return name === MAIN_WORKTREE ? {} : { worktree: name }
}

export const BranchName = z.string().min(1).max(255).regex(ONE_LINE, "It must be a single line of text.")
