import * as z from "zod"
import { MergeRequest } from "../../files/worktrees/merge-schema.ts"
import { BranchName, WorktreeName } from "../../files/worktrees/names-schema.ts"
import { RepositoryChecks, Verdict } from "../gate/schema.ts"

const MAX_WORKTREES = 50

/** A request to merge several worktrees, one after the other. */
export const NewTrain = z
  .object({
    worktrees: z
      .array(WorktreeName)
      .min(1)
      .max(MAX_WORKTREES)
      .refine((names) => new Set(names).size === names.length, "A worktree is named twice.")
      .describe("In the order in which they are merged"),
    target_branch: BranchName.optional().describe("Else, of each worktree, the branch where it began"),
    strategy: MergeRequest.shape.strategy,
    delete_worktrees: z.boolean().default(true).describe("Whether each worktree is removed once it is merged"),
    run_hooks: z.boolean().optional(),
    checks: z.boolean().default(false).describe("Whether the branch is checked after each merge, by running it"),
    consent: z
      .boolean()
      .default(false)
      .describe("Allows checks to run what was built on this machine, from now on; needed once, and only locally"),
  })
  .meta({ id: "NewMergeTrain" })
export type NewTrain = z.infer<typeof NewTrain>

/** The input of a run that merges worktrees. */
export const TrainInput = z.object({
  worktrees: z.array(WorktreeName),
  merge: MergeRequest,
  checks: z.boolean(),
  commands: RepositoryChecks.optional().describe("Those that a person set"),
  waits_for_agents: z.boolean().optional().describe("Else it stops at a worktree in which an agent is at work"),
})
export type TrainInput = z.infer<typeof TrainInput>

/** One step of a train: a merge, with the check after it. */
export const TrainStep = z
  .object({
    index: z.int().nonnegative().describe("Its place in the train"),
    worktree: WorktreeName,
    status: z
      .enum(["merged", "nothing_to_merge", "conflicts", "refused", "check_failed"])
      .describe("The train stops after all but the first two. What was merged stays merged"),
    message: z.string(),
    target_branch: z.string().nullable(),
    commit: z.string().nullable(),
    conflicts: z.array(z.string()).describe("The files to be resolved; the merge waits for that"),
    verdict: Verdict.nullable().describe("Null where the branch was not to be checked"),
  })
  .meta({ id: "MergeTrainStep" })
export type TrainStep = z.infer<typeof TrainStep>

/** Whether a train goes on after this step. */
export function goesOn({ status }: Pick<TrainStep, "status">): boolean {
  return status === "merged" || status === "nothing_to_merge"
}
