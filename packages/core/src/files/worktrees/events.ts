import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { SavedProject, SkippedFile } from "./checkpoint-schema.ts"
import { WorktreeCommand, WorktreeQuery } from "./command-schema.ts"
import { Conflicts } from "./conflict-schema.ts"
import { FullDiff } from "./diff-schema.ts"
import { inWorktree, WorktreeName } from "./names-schema.ts"
import { PullRequest } from "./pull-request-schema.ts"
import { Branches, Damage, HeldDeletions, WorktreeStatus } from "./schema.ts"

/** Commands to a session's worktree, how it is, and what is saved of it. */
export const worktreeEvents = [
  event("worktree_command_requested", "A command or a question for a worktree was accepted; a runner executes it.", {
    ...inWorktree,
    command_id: z.string(),
    command: large(z.union([WorktreeCommand, WorktreeQuery])),
    asking_run: z.string().optional().describe("The run that asks. Where it is cancelled, the command doesn't begin"),
  }),
  event("worktree_command_started", "A runner executes the command from here on. Nothing was changed before.", {
    ...inWorktree,
    command_id: z.string(),
    generation: z.int(),
  }),
  event("worktree_command_expired", "No runner started the command in time; it will not be executed.", {
    ...inWorktree,
    command_id: z.string(),
  }),
  event("worktree_command_finished", "The command succeeded, or failed.", {
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
  event("worktree_changed", "The worktree's status now; reads of it are answered from this.", {
    ...inWorktree,
    status: WorktreeStatus,
    branches: large(Branches),
    diff: large(FullDiff)
      .nullable()
      .describe("Null if there is no worktree, or if the diff is so large that it follows in the next event"),
    conflicts: large(Conflicts).nullable(),
  }),
  event(
    "worktree_collisions_changed",
    "The files changed in which two worktrees would conflict, were the work in both merged as it is saved.",
    {
      worktrees: z.array(WorktreeName).length(2),
      files: z.array(z.string()).describe("The first hundred; empty once there are none"),
      file_count: z.int().nonnegative(),
      digest: z.string().describe("Of all their names"),
    },
  ),
  event("worktree_prepared", "The worktree has what it takes to work in it.", {
    ...inWorktree,
    copied: z.array(z.string()).describe("Files that were copied from the repository's checkout"),
    linked: z.array(z.string()).describe("Folders whose entries are links to those of the checkout"),
    restored: z.array(z.string()).describe("Folders that were restored from the cache"),
    skipped: z.array(z.string()).describe("Files to copy or link that git doesn't ignore: they would be in the work"),
    ports: z.array(z.int()),
  }),
  event("worktree_script_started", "The repository's set-up or clean-up command runs in the worktree.", {
    ...inWorktree,
    script: z.enum(["setup", "cleanup"]),
    command: z.string(),
  }),
  event("worktree_script_finished", "The set-up or clean-up command ended.", {
    ...inWorktree,
    script: z.enum(["setup", "cleanup"]),
    exit_code: z.int().nullable().describe("Null for one that was stopped"),
    duration_ms: z.int().nonnegative(),
    output: z.string().describe("The end of what it printed"),
  }),
  event("worktree_restored", "The worktree was damaged, and has been repaired.", {
    ...inWorktree,
    damage: Damage,
    from: z
      .enum(["save", "branch", "folder"])
      .describe("The source of its files: the last save, the last commit, or the folder as it was"),
    set_aside: z.string().nullable().describe("The new path of a repository that was made in it"),
  }),
  event(
    "deletions_held",
    "An agent deleted more than half of the session's files; they are kept until the deletion is confirmed.",
    {
      ...inWorktree,
      ...HeldDeletions.shape,
      file_count: z.int().nonnegative().describe("The session's number of files before"),
    },
  ),
  event("deletions_settled", "No deletions await confirmation any more.", {
    ...inWorktree,
    confirmed: z
      .boolean()
      .describe("Whether the files were deleted; otherwise they were restored, or the worktree was deleted"),
  }),
  event("pull_request_opened", "A pull request was opened for the worktree's branch, or brought up to date.", {
    ...inWorktree,
    pull_request: PullRequest,
  }),
  event("project_saved", "The work and the agent's own session were saved; another machine can resume from here.", {
    ...inWorktree,
    repository: z.string().nullable(),
    save: large(SavedProject),
    left_out: z.array(SkippedFile).describe("Files that aren't saved, the first hundred"),
    forked_from: z.string().optional().describe("The session whose work this is, which the session was forked from"),
  }),
] as const
