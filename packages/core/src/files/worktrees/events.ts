import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { SavedProject, SkippedFile } from "./checkpoint-schema.ts"
import { WorktreeCommand, WorktreeQuery } from "./command-schema.ts"
import { Conflicts } from "./conflict-schema.ts"
import { FullDiff } from "./diff-schema.ts"
import { inWorktree } from "./names-schema.ts"
import { Branches, Damage, HeldDeletions, WorktreeStatus } from "./schema.ts"

/** Commands to a session's worktree, how it is, and what is saved of it. */
export const worktreeEvents = [
  event("worktree_command_requested", "Somebody asked something of the session's worktree; a runner does it.", {
    ...inWorktree,
    command_id: z.string(),
    command: large(z.union([WorktreeCommand, WorktreeQuery])),
  }),
  event("worktree_command_started", "A runner carries it out from here on. Nothing was touched before.", {
    ...inWorktree,
    command_id: z.string(),
    generation: z.int(),
  }),
  event("worktree_command_expired", "No runner started it in time: it is never carried out.", {
    ...inWorktree,
    command_id: z.string(),
  }),
  event("worktree_command_finished", "It was done, or could not be.", {
    ...inWorktree,
    command_id: z.string(),
    answer: large(z.record(z.string(), z.json())).nullable(),
    error: z
      .object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.json()) })
      .nullable()
      .describe(
        "Why not, in the words of any other answer of the API; beside an answer, what failed after it was done",
      ),
  }),
  event("worktree_changed", "How the session's worktree is now: what questions about it are answered from.", {
    ...inWorktree,
    status: WorktreeStatus,
    branches: large(Branches),
    diff: large(FullDiff)
      .nullable()
      .describe("Null where there is no worktree, or so much was changed that the next event has it"),
    conflicts: large(Conflicts).nullable(),
  }),
  event("worktree_restored", "The session's worktree was damaged, and is one again.", {
    ...inWorktree,
    damage: Damage,
    from: z
      .enum(["save", "branch", "folder"])
      .describe("Its files are as they were saved last, as they were committed last, or as they were left"),
    set_aside: z.string().nullable().describe("Where a repository went that was made in it"),
  }),
  event("deletions_held", "Work deleted more than half of the session's files: they stay until somebody confirms.", {
    ...inWorktree,
    ...HeldDeletions.shape,
    file_count: z.int().nonnegative().describe("How many files the session had"),
  }),
  event("deletions_settled", "No deletions wait to be confirmed any more.", {
    ...inWorktree,
    confirmed: z.boolean().describe("Whether the files went; else they are in the worktree again, or it is gone"),
  }),
  event("project_saved", "Should the runner's machine be lost, the work and the agent's memory go on from here.", {
    ...inWorktree,
    repository: z.string().nullable(),
    save: large(SavedProject),
    left_out: z.array(SkippedFile).describe("Files that aren't saved, the first hundred"),
  }),
] as const
