import * as z from "zod"
import {
  type Branches,
  type ConflictFile,
  type Conflicts,
  DiffQuery,
  type DiffSummary,
  type FullDiff,
  type WorktreeStatus,
} from "./schema.ts"
import type { Worktrees } from "./worktrees.ts"

/** What nobody has told of a worktree yet, and only who has it can say. */
export const WorktreeQuestion = z.discriminatedUnion("question", [
  z.object({ question: z.literal("status") }),
  z.object({ question: z.literal("branches") }),
  DiffQuery.extend({ question: z.literal("diff") }),
  DiffQuery.extend({ question: z.literal("full_diff") }),
  z.object({ question: z.literal("conflicts") }),
  z.object({ question: z.literal("conflict"), path: z.string() }),
])
export type WorktreeQuestion = z.infer<typeof WorktreeQuestion>

/** Asks what a question says. */
export function ask(
  worktrees: Worktrees,
  question: WorktreeQuestion,
  options: { signal: AbortSignal },
): Promise<WorktreeStatus | Branches | DiffSummary | FullDiff | Conflicts | ConflictFile> {
  switch (question.question) {
    case "status":
      return worktrees.status(options)
    case "branches":
      return worktrees.branches(options)
    case "diff":
      return worktrees.diff(question, options)
    case "full_diff":
      return worktrees.fullDiff(question, options)
    case "conflicts":
      return worktrees.conflicts(options)
    case "conflict":
      return worktrees.conflict(question.path, options)
  }
}
