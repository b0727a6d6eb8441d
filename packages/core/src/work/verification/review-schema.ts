import * as z from "zod"
import { CliId } from "../../agents/clis/schema.ts"

/** The name by which a request or a setting says that no second agent reviews the work. */
export const NO_REVIEWER = "__verification_none__"

/** The agent that reviews another one's work: a program of its own, in a session of its own. */
export const Reviewer = z.object({
  cli: CliId,
  account: z.string().nullable().describe("The account's name; null for credentials of the server's environment"),
  model: z.string().nullable(),
  reasoning: z.string().nullable(),
})
export type Reviewer = z.infer<typeof Reviewer>

/** Something that must change before the work is done. */
export const ReviewFinding = z.object({
  text: z.string(),
  file: z.string().optional(),
  line: z.int().positive().optional(),
})
export type ReviewFinding = z.infer<typeof ReviewFinding>

/** The opinion of a reviewer about one commit. */
export const Review = z
  .object({
    reviewer: Reviewer,
    passed: z.boolean().nullable().describe("Null where the review couldn't be made"),
    summary: z.string(),
    findings: z.array(ReviewFinding),
  })
  .meta({ id: "Review" })
export type Review = z.infer<typeof Review>
