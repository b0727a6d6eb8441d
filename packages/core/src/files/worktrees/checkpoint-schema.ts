import * as z from "zod"
import { CliId } from "../../agents/clis/clis.ts"
import { AgentId } from "../../agents/conversations/schema.ts"

/** A file or folder that a save skipped, and the reason. */
export const SkippedFile = z.object({
  path: z.string(),
  reason: z
    .enum(["link", "submodule", "worktree", "path", "too_large", "no_room", "unreadable", "conflict", "refused"])
    .describe("`refused` means that git can't commit it"),
  detail: z.string().optional().describe("More exact reason, for people"),
})
export type SkippedFile = z.infer<typeof SkippedFile>

/**
 * A file of an agent's own state, split into pieces. If a file has only grown, all its pieces except the last are the
 * same as in the previous save.
 */
const SavedFile = z.object({
  path: z.string(),
  size_bytes: z.int().nonnegative(),
  /** SHA-256 of each piece. */
  pieces: z.array(z.string()),
})
export type SavedFile = z.infer<typeof SavedFile>

/** An agent's own session record, from its account's home directory. */
export const SavedAgentState = z.object({
  agent_id: AgentId.optional().describe("`main` if omitted"),
  cli: CliId,
  account: z.string().nullable(),
  native_session_id: z.string(),
  files: z.array(SavedFile),
})
export type SavedAgentState = z.infer<typeof SavedAgentState>

/**
 * Everything that a runner on another machine needs to continue: the work as an ordered list of git bundles, and the
 * state of the agents.
 */
export const SavedProject = z.object({
  bundles: z.array(z.object({ key: z.string(), size_bytes: z.int().nonnegative() })),
  /** Commit of the saved work. Null if there is none. */
  tip: z.string().nullable(),
  /**
   * Manifest of the session's files when the worktree was last synchronised with them. Absent if they were never
   * synchronised.
   */
  level: z.string().nullable().optional(),
  memories: z.array(SavedAgentState),
})
export type SavedProject = z.infer<typeof SavedProject>
