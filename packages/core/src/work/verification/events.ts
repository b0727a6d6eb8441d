import * as z from "zod"
import { event, runEvent } from "../../kernel/define-event.ts"
import { CheckName, Verdict } from "../gate/schema.ts"
import { Review, Reviewer } from "./review-schema.ts"
import { VerificationResult } from "./schema.ts"
import { VerificationSettings } from "./settings-schema.ts"

/** Events from verifying an agent's work. */
export const verificationEvents = [
  event("verification_set", "A person set how the session's later tasks are verified.", {
    settings: VerificationSettings,
  }),
  runEvent(
    "verification_planned",
    "The agent's work will be compared with this commit and checked with these commands.",
    {
      base_commit: z.string(),
      checks: z
        .array(z.object({ name: CheckName, command: z.string() }))
        .describe("The project's check commands before the work"),
      max_attempts: z.int().positive(),
    },
  ),
  runEvent("review_started", "Another agent started to review a commit that passed its checks.", {
    attempt_number: z.int().positive(),
    commit: z.string(),
    reviewer: Reviewer,
  }),
  runEvent("review_finished", "The review ended. Its verdict decides whether another attempt follows.", {
    attempt_number: z.int().positive(),
    commit: z.string(),
    review: Review,
  }),
  runEvent("verification_attempt", "A commit of the agent's work was checked.", {
    attempt_number: z.int().positive(),
    commit: z.string().describe("The commit of this evidence"),
    passed: z.boolean(),
    result: VerificationResult,
    summary: z.string(),
    issues: z.array(z.string()).describe("The problems found, each in a sentence or two"),
    verdict: Verdict,
    original_tests: Verdict.optional().describe("The result of the original tests, if the work changed them"),
    review: Review.optional().describe("Another agent's review, if one was requested"),
  }),
] as const
