import * as z from "zod"
import { MergeRequest } from "../../files/worktrees/merge-schema.ts"
import { BranchName, WorktreeName } from "../../files/worktrees/names-schema.ts"
import { RepositoryChecks, Verdict } from "../gate/schema.ts"

const MAX_WORKTREES = 50

/** A request to merge several worktrees, one after another. */
export const NewTrain = z
  .object({
    worktrees: z
      .array(WorktreeName)
      .min(1)
      .max(MAX_WORKTREES)
      .refine((names) => new Set(names).size === names.length, "A worktree is listed twice.")
      .describe("Worktrees in merge order"),
    target_branch: BranchName.optional().describe("Defaults to each worktree's base branch"),
    strategy: MergeRequest.shape.strategy,
    delete_worktrees: z.boolean().default(true).describe("Delete each worktree after its merge"),
    run_hooks: z.boolean().optional(),
    checks: z.boolean().default(false).describe("Check the target branch after each merge by running the project"),
    consent: z
      .boolean()
      .default(false)
      .describe(
        "Allows checks to run the built project on this machine from now on; needed once, and only on a local server",
      ),
  })
  .meta({ id: "NewMergeTrain" })
export type NewTrain = z.infer<typeof NewTrain>

/** Input of a run that merges worktrees. */
export const TrainInput = z.object({
  worktrees: z.array(WorktreeName),
  merge: MergeRequest,
  checks: z.boolean(),
  commands: RepositoryChecks.optional().describe("Commands set by a person"),
  waits_for_agents: z.boolean().optional().describe("If absent, the queue stops at a worktree whose agent is working"),
})
export type TrainInput = z.infer<typeof TrainInput>

/** A step of a train: a merge and the check of its result. */
export const TrainStep = z
  .object({
    index: z.int().nonnegative().describe("Position in the queue"),
    worktree: WorktreeName,
    status: z
      .enum(["merged", "nothing_to_merge", "conflicts", "refused", "check_failed"])
      .describe("The queue only continues after `merged` and `nothing_to_merge`. Earlier merges are kept"),
    message: z.string(),
    target_branch: z.string().nullable(),
    commit: z.string().nullable(),
    conflicts: z.array(z.string()).describe("Files with conflicts; the merge stays open until they are resolved"),
    verdict: Verdict.nullable().describe("Null if no check was requested"),
  })
  .meta({ id: "MergeTrainStep" })
export type TrainStep = z.infer<typeof TrainStep>

/** Returns true if a train continues after this step. */
export function goesOn({ status }: Pick<TrainStep, "status">): boolean {
  return status === "merged" || status === "nothing_to_merge"
}
