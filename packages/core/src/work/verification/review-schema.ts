import * as z from "zod"
import { CliId } from "../../agents/clis/clis.ts"

/** Value for "no reviewer" in requests and settings. */
export const NO_REVIEWER = "__verification_none__"

/** An agent that reviews another agent's work, in its own process and session. */
export const Reviewer = z.object({
  cli: CliId,
  account: z.string().nullable().describe("The account's name; null for credentials from the server's environment"),
  model: z.string().nullable(),
  reasoning: z.string().nullable(),
})
export type Reviewer = z.infer<typeof Reviewer>

/** A change that the work still needs. */
export const ReviewFinding = z.object({
  text: z.string(),
  file: z.string().optional(),
  line: z.int().positive().optional(),
})
export type ReviewFinding = z.infer<typeof ReviewFinding>

/** A reviewer's verdict on a commit. */
export const Review = z
  .object({
    reviewer: Reviewer,
    passed: z.boolean().nullable().describe("Null if the review failed to run"),
    summary: z.string(),
    findings: z.array(ReviewFinding),
  })
  .meta({ id: "Review" })
export type Review = z.infer<typeof Review>
