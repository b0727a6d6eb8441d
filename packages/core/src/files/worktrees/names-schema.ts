import * as z from "zod"
import { ONE_LINE } from "../../people/access/schema.ts"

/** Name of a session's default worktree. */
export const MAIN_WORKTREE = "main"

/** Name of a worktree within its session. This isn't the name of its folder or branch. */
export const WorktreeName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)

/** Worktree to which an event refers. Omitted for `main`. */
export const inWorktree = { worktree: WorktreeName.optional().describe("`main` if omitted") }

/** Returns the fields that identify an event's worktree. */
export function namedWorktree(name: string): { worktree?: string } {
  return name === MAIN_WORKTREE ? {} : { worktree: name }
}

export const BranchName = z.string().min(1).max(255).regex(ONE_LINE, "It must be a single line of text.")
