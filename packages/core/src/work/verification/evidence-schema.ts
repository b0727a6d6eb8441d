import * as z from "zod"
import { CheckResult, Verdict } from "../gate/schema.ts"
import { Review, Reviewer } from "./review-schema.ts"
import { VerificationResult } from "./schema.ts"

/** State of the evidence about a worktree. `valid` is about the current files, `void` about earlier ones. */
export const EvidenceState = z.enum(["none", "pending", "checking", "valid", "void"])
export type EvidenceState = z.infer<typeof EvidenceState>

/** A command of the newest attempt, with the end of its output. */
export const EvidenceCheck = CheckResult.partial({ passed: true, exit_code: true, duration_ms: true }).extend({
  output: z.string(),
  original_tests: z.boolean().describe("Whether it ran with the original tests"),
})
export type EvidenceCheck = z.infer<typeof EvidenceCheck>

export const EvidenceAttempt = z.object({
  attempt_number: z.int().positive(),
  commit: z.string(),
  ts: z.iso.datetime(),
  passed: z.boolean(),
  result: VerificationResult,
  summary: z.string(),
  issues: z.array(z.string()),
  verdict: Verdict,
  review: Review.optional().describe("The opinion of another agent, if one was asked"),
})
export type EvidenceAttempt = z.infer<typeof EvidenceAttempt>

/** Results of the checks of a worktree, and whether they still hold. */
export const WorkEvidence = z
  .object({
    worktree: z.string(),
    state: EvidenceState,
    reason: z.string().nullable().describe("Why there is no evidence, or why it is void"),
    run_id: z.string().nullable().describe("The task that was verified last"),
    base_commit: z.string().nullable().describe("The commit that the work is compared with"),
    worktree_commit: z.string().nullable().describe("The newest reported commit of the worktree"),
    max_attempts: z.int().positive().nullable(),
    reviewing: Reviewer.nullable().describe("The agent that reviews the work now"),
    latest: EvidenceAttempt.nullable().describe("The newest attempt"),
    checks: z.array(EvidenceCheck).describe("The commands of the current or newest attempt"),
    attempts: z.array(EvidenceAttempt).describe("All attempts, oldest first"),
  })
  .meta({ id: "WorkEvidence" })
export type WorkEvidence = z.infer<typeof WorkEvidence>
