import * as z from "zod"
import { CheckResult, Verdict } from "../gate/schema.ts"
import { Review, Reviewer } from "./review-schema.ts"
import { VerificationResult } from "./schema.ts"

/**
 * State of a worktree's evidence. `valid` evidence applies to the current files, `void` evidence only to earlier files.
 */
export const EvidenceState = z.enum(["none", "pending", "checking", "valid", "void"])
export type EvidenceState = z.infer<typeof EvidenceState>

/** A check command of the newest attempt, with its shortened output. */
export const EvidenceCheck = CheckResult.partial({ passed: true, exit_code: true, duration_ms: true }).extend({
  output: z.string(),
  original_tests: z.boolean().describe("Whether the command ran with the original tests"),
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
  review: Review.optional().describe("Another agent's review, if one was requested"),
})
export type EvidenceAttempt = z.infer<typeof EvidenceAttempt>

/** Check results of a worktree, with their current validity. */
export const WorkEvidence = z
  .object({
    worktree: z.string(),
    state: EvidenceState,
    reason: z.string().nullable().describe("Why there is no evidence, or why the evidence is void"),
    run_id: z.string().nullable().describe("The last verified task"),
    base_commit: z.string().nullable().describe("The commit the work is compared with"),
    worktree_commit: z.string().nullable().describe("The worktree's newest reported commit"),
    max_attempts: z.int().positive().nullable(),
    reviewing: Reviewer.nullable().describe("The agent that is reviewing the work"),
    latest: EvidenceAttempt.nullable().describe("The newest attempt"),
    checks: z.array(EvidenceCheck).describe("The commands of the current or newest attempt"),
    attempts: z.array(EvidenceAttempt).describe("All attempts, oldest first"),
  })
  .meta({ id: "WorkEvidence" })
export type WorkEvidence = z.infer<typeof WorkEvidence>
