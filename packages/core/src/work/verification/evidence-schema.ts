import * as z from "zod"
import { CheckResult, Verdict } from "../gate/schema.ts"
import { Review, Reviewer } from "./review-schema.ts"
import { VerificationResult } from "./schema.ts"

/**
 * The state of what is known about the work in a worktree. Only `valid` is about the files as they are; `void` was about others.
 */
export const EvidenceState = z.enum(["none", "pending", "checking", "valid", "void"])
export type EvidenceState = z.infer<typeof EvidenceState>

/** A command of the newest attempt, with the end of what it printed. */
export const EvidenceCheck = CheckResult.partial({ passed: true, exit_code: true, duration_ms: true }).extend({
  output: z.string(),
  original_tests: z.boolean().describe("Whether it ran with the tests as they were before the work"),
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
  review: Review.optional().describe("The opinion of another agent, where one was asked"),
})
export type EvidenceAttempt = z.infer<typeof EvidenceAttempt>

/** The results of checking the work in a worktree, and whether they still say anything about it. */
export const WorkEvidence = z
  .object({
    worktree: z.string(),
    state: EvidenceState,
    reason: z.string().nullable().describe("Why there is no evidence, or why it is void"),
    run_id: z.string().nullable().describe("The task that was verified last"),
    base_commit: z.string().nullable().describe("The commit that the work is compared with"),
    worktree_commit: z.string().nullable().describe("The newest commit of the worktree, as it was last reported"),
    max_attempts: z.int().positive().nullable(),
    reviewing: Reviewer.nullable().describe("The agent that reviews the work at the moment"),
    latest: EvidenceAttempt.nullable().describe("The newest attempt"),
    checks: z.array(EvidenceCheck).describe("The commands of the newest attempt, or of the one that is being made"),
    attempts: z.array(EvidenceAttempt).describe("All of them, oldest first"),
  })
  .meta({ id: "WorkEvidence" })
export type WorkEvidence = z.infer<typeof WorkEvidence>
