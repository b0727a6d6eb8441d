import * as z from "zod"
import { HandOffPlan } from "../../agents/hand-off/schema.ts"
import { RepositoryChecks } from "../gate/schema.ts"
import { Reviewer } from "./review-schema.ts"

/** The attempts of an agent to pass its checks, unless somebody sets them, and the most that anybody may set. */
export const DEFAULT_ATTEMPTS = 5
export const MAX_ATTEMPTS = 20

/** The proof that a task takes to count as completed, as it was asked for when the task was given. */
export const VerificationPlan = z.object({
  commands: RepositoryChecks.optional().describe("Those that a person set; the others are found"),
  allow_test_changes: z
    .boolean()
    .describe("Whether tests that were there before, and how they are run, may be changed or deleted"),
  max_attempts: z.int().min(1).max(MAX_ATTEMPTS),
  reviewer: Reviewer.optional().describe("The agent that reviews what passed its checks; absent for none"),
  reviewer_hand_off: HandOffPlan.optional().describe(
    "The accounts that review where the reviewer's own has met a limit",
  ),
})
export type VerificationPlan = z.infer<typeof VerificationPlan>

/** The result of an attempt. With the first two, a task ends as completed. */
export const VerificationResult = z.enum(["passed", "nothing_to_check", "failed", "not_possible"])
export type VerificationResult = z.infer<typeof VerificationResult>

/** The newest evidence about a run's work; both null while there is none for the work as it is. */
export interface Verified {
  commit: string | null
  result: VerificationResult | null
}
