import * as z from "zod"
import { HandOffPlan } from "../../agents/hand-off/schema.ts"
import { RepositoryChecks } from "../gate/schema.ts"
import { Reviewer } from "./review-schema.ts"

/** Default and largest number of an agent's attempts to pass its checks. */
export const DEFAULT_ATTEMPTS = 5
export const MAX_ATTEMPTS = 20

/** Proof that a task needs to count as completed, as its request defined it. */
export const VerificationPlan = z.object({
  commands: RepositoryChecks.optional().describe("Commands that a person set; others are found"),
  allow_test_changes: z.boolean().describe("Whether existing tests, and the way they run, may be changed or deleted"),
  max_attempts: z.int().min(1).max(MAX_ATTEMPTS),
  reviewer: Reviewer.optional().describe("The agent that reviews the work after its checks passed; absent for none"),
  reviewer_hand_off: HandOffPlan.optional().describe(
    "The accounts that review if the reviewer's own has reached a limit",
  ),
})
export type VerificationPlan = z.infer<typeof VerificationPlan>

/** Result of an attempt. The first two complete a task. */
export const VerificationResult = z.enum(["passed", "nothing_to_check", "failed", "not_possible"])
export type VerificationResult = z.infer<typeof VerificationResult>

/** Newest evidence about a run's work; both null without evidence for the current work. */
export interface Verified {
  commit: string | null
  result: VerificationResult | null
}
