import * as z from "zod"
import { event, runEvent } from "../../kernel/define-event.ts"
import { CheckName, Verdict } from "../gate/schema.ts"
import { Review, Reviewer } from "./review-schema.ts"
import { VerificationResult } from "./schema.ts"
import { VerificationSettings } from "./settings-schema.ts"

/** The verification of an agent's work. */
export const verificationEvents = [
  event("verification_set", "A person set how the session's later tasks are verified.", {
    settings: VerificationSettings,
  }),
  runEvent(
    "verification_planned",
    "The agent's work will be compared with this commit, and checked by these commands.",
    {
      base_commit: z.string(),
      checks: z
        .array(z.object({ name: CheckName, command: z.string() }))
        .describe("Those of the project before the work"),
      max_attempts: z.int().positive(),
    },
  ),
  runEvent("review_started", "Another agent began to review a commit of the agent's work, which passed its checks.", {
    attempt_number: z.int().positive(),
    commit: z.string(),
    reviewer: Reviewer,
  }),
  runEvent("review_finished", "The review ended. Its verdict counts with the attempt that follows.", {
    attempt_number: z.int().positive(),
    commit: z.string(),
    review: Review,
  }),
  runEvent("verification_attempt", "A commit of the agent's work was checked.", {
    attempt_number: z.int().positive(),
    commit: z.string().describe("The commit that this is evidence for, and no other"),
    passed: z.boolean(),
    result: VerificationResult,
    summary: z.string(),
    issues: z.array(z.string()).describe("What speaks against it, each in a sentence or two"),
    verdict: Verdict,
    original_tests: Verdict.optional().describe(
      "What the tests showed as they were before the work, where it changed them",
    ),
    review: Review.optional().describe("The opinion of another agent, where one was asked"),
  }),
] as const
