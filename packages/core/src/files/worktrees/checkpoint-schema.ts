import * as z from "zod"
import { CliId } from "../../agents/clis/schema.ts"
import { AgentId } from "../../agents/conversations/schema.ts"

/** A file or folder of a worktree that a save skipped, and why. */
export const SkippedFile = z.object({
  path: z.string(),
  reason: z.enum(["link", "submodule", "worktree", "path", "too_large", "no_room", "unreadable", "conflict"]),
})
export type SkippedFile = z.infer<typeof SkippedFile>

/** A file of an agent's own state, in pieces: one that only grows shares all but its last with the save before. */
const SavedFile = z.object({
  path: z.string(),
  size_bytes: z.int().nonnegative(),
  /** The sha256 of each piece. */
  pieces: z.array(z.string()),
})
export type SavedFile = z.infer<typeof SavedFile>

/** An agent's own record of its session, in the home of the account that it worked on. */
export const SavedAgentState = z.object({
  agent_id: AgentId.optional().describe("`main` if it isn't named"),
  cli: CliId,
  account: z.string().nullable(),
  native_session_id: z.string(),
  files: z.array(SavedFile),
})
export type SavedAgentState = z.infer<typeof SavedAgentState>

/** All that a runner on another machine needs to continue: the work as git bundles, in their order, and the agents' states. */
export const SavedProject = z.object({
  bundles: z.array(z.object({ key: z.string(), size_bytes: z.int().nonnegative() })),
  /** The commit of the saved work; null where there is none. */
  tip: z.string().nullable(),
  /** The version of the session's files with which the worktree was last in sync; absent if it never was. */
  level: z.string().nullable().optional(),
  memories: z.array(SavedAgentState),
})
export type SavedProject = z.infer<typeof SavedProject>
