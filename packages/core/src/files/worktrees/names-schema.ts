import * as z from "zod"
import { ONE_LINE } from "../../people/access/schema.ts"

/** Default worktree of a session. */
export const MAIN_WORKTREE = "main"

/** A session's own name of a worktree, not a folder or branch. */
export const WorktreeName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)

/** Worktree of an event, omitted for `main`. */
export const inWorktree = { worktree: WorktreeName.optional().describe("`main` if omitted") }

/** Returns the fields that identify an event's worktree. */
export function namedWorktree(name: string): { worktree?: string } {
  return name === MAIN_WORKTREE ? {} : { worktree: name }
}

export const BranchName = z.string().min(1).max(255).regex(ONE_LINE, "It must be a single line of text.")
