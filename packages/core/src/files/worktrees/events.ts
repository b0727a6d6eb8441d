import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { SavedProject, SkippedFile } from "./checkpoint-schema.ts"
import { WorktreeCommand, WorktreeQuery } from "./command-schema.ts"
import { Conflicts } from "./conflict-schema.ts"
import { FullDiff } from "./diff-schema.ts"
import { inWorktree, WorktreeName } from "./names-schema.ts"
import { PullRequest } from "./pull-request-schema.ts"
import { PreparedTools } from "./repository-setup-schema.ts"
import { Branches, Damage, HeldDeletions, WorktreeStatus } from "./schema.ts"

export const worktreeEvents = [
  event("worktree_command_requested", "A command or query for a worktree was accepted. A runner executes it.", {
    ...inWorktree,
    command_id: z.string(),
    command: large(z.union([WorktreeCommand, WorktreeQuery])),
    asking_run: z
      .string()
      .optional()
      .describe("Run that requested the command. If it is cancelled first, the command isn't started"),
  }),
  event("worktree_command_started", "A runner started to execute the command. Nothing was changed before this event.", {
    ...inWorktree,
    command_id: z.string(),
    generation: z.int(),
  }),
  event("worktree_command_expired", "No runner started the command in time, so it won't be executed.", {
    ...inWorktree,
    command_id: z.string(),
  }),
  event("worktree_command_finished", "The command succeeded or failed.", {
    ...inWorktree,
    command_id: z.string(),
    answer: large(z.record(z.string(), z.json())).nullable(),
    error: z
      .object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.json()) })
      .nullable()
      .describe(
        "Error in the format of API errors. If there is also an answer, the command was executed and a later step failed",
      ),
  }),
  event("worktree_changed", "The worktree's current status, used to answer read requests.", {
    ...inWorktree,
    status: WorktreeStatus,
    branches: large(Branches),
    diff: large(FullDiff)
      .nullable()
      .describe("Null if there is no worktree, or if the diff is so large that it's in the next event"),
    conflicts: large(Conflicts).nullable(),
  }),
  event(
    "worktree_collisions_changed",
    "The set of files that would conflict if two worktrees were merged as last saved has changed.",
    {
      worktrees: z.array(WorktreeName).length(2),
      files: z.array(z.string()).describe("First hundred files; empty if none conflict any more"),
      file_count: z.int().nonnegative(),
      digest: z.string().describe("Hash of all file names"),
    },
  ),
  event("worktree_prepared", "The worktree is ready for work.", {
    ...inWorktree,
    copied: z.array(z.string()).describe("Files copied from the repository's checkout"),
    linked: z.array(z.string()).describe("Folders whose entries are links to the checkout"),
    restored: z.array(z.string()).describe("Folders restored from the cache"),
    skipped: z
      .array(z.string())
      .describe("Files not copied or linked, because git doesn't ignore them and they would become part of the work"),
    ports: z.array(z.int()),
    tools: PreparedTools.optional().describe("Tools from the repository's set-up file; absent if it names none"),
  }),
  event("worktree_script_started", "The repository's setup or cleanup command was started in the worktree.", {
    ...inWorktree,
    script: z.enum(["setup", "cleanup"]),
    command: z.string(),
  }),
  event("worktree_script_finished", "The setup or cleanup command finished.", {
    ...inWorktree,
    script: z.enum(["setup", "cleanup"]),
    exit_code: z.int().nullable().describe("Null if it was stopped"),
    duration_ms: z.int().nonnegative(),
    output: z.string().describe("Output; if it is long, the part from the first error on, and the end"),
  }),
  event("worktree_restored", "The worktree was damaged and has been repaired.", {
    ...inWorktree,
    damage: Damage,
    from: z
      .enum(["save", "branch", "folder"])
      .describe("Where the files came from: the last save, the last commit, or the unchanged folder"),
    set_aside: z.string().nullable().describe("Path that a repository created inside the worktree was moved to"),
  }),
  event(
    "deletions_held",
    "An agent deleted more than half of the session's files. They are kept until the deletion is confirmed.",
    {
      ...inWorktree,
      ...HeldDeletions.shape,
      file_count: z.int().nonnegative().describe("Number of files in the session before the deletion"),
    },
  ),
  event("deletions_settled", "No deletions are waiting for confirmation any more.", {
    ...inWorktree,
    confirmed: z
      .boolean()
      .describe("True if the files were deleted; false if they were restored, or the worktree was deleted"),
  }),
  event("pull_request_opened", "A pull request was opened or updated for the worktree's branch.", {
    ...inWorktree,
    pull_request: PullRequest,
  }),
  event("project_saved", "The work and the agent's own session were saved. Another machine can resume from here.", {
    ...inWorktree,
    repository: z.string().nullable(),
    save: large(SavedProject),
    left_out: z.array(SkippedFile).describe("First hundred files that weren't saved"),
    forked_from: z.string().optional().describe("Session that this one was forked from; the work comes from there"),
  }),
] as const
