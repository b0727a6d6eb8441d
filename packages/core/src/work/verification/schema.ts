import * as z from "zod"
import { HandOffPlan } from "../../agents/hand-off/schema.ts"
import { RepositoryChecks } from "../gate/schema.ts"
import { Reviewer } from "./review-schema.ts"

/** Default and maximum number of attempts to pass the checks. */
export const DEFAULT_ATTEMPTS = 5
export const MAX_ATTEMPTS = 20

/** Evidence that a task must have to count as completed. Part of the task's request. */
export const VerificationPlan = z.object({
  commands: RepositoryChecks.optional().describe("Commands set by a person; all others are detected"),
  allow_test_changes: z.boolean().describe("Whether existing tests and test settings may be changed or deleted"),
  max_attempts: z.int().min(1).max(MAX_ATTEMPTS),
  reviewer: Reviewer.optional().describe(
    "The agent that reviews the work after its checks have passed; absent for none",
  ),
  reviewer_hand_off: HandOffPlan.optional().describe(
    "The accounts used for the review if the reviewer's own account has hit a limit",
  ),
})
export type VerificationPlan = z.infer<typeof VerificationPlan>

/** Result of an attempt. Only the first two values complete a task. */
export const VerificationResult = z.enum(["passed", "nothing_to_check", "failed", "not_possible"])
export type VerificationResult = z.infer<typeof VerificationResult>

/** Newest evidence about a run's work. Both fields are null if there is no evidence for the current work. */
export interface Verified {
  commit: string | null
  result: VerificationResult | null
}
