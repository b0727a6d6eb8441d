import * as z from "zod"
import { ONE_LINE } from "../../people/access/schema.ts"
import { NO_REVIEWER } from "./review-schema.ts"
import { MAX_ATTEMPTS } from "./schema.ts"

const Line = z.string().trim().min(1).max(200).regex(ONE_LINE, "It must be a single line of text.")

/** The choice of the agent that reviews what passed its checks. */
export const reviewerFields = {
  verification_agent: Line.nullable().describe(
    `The agent that reviews what passed its checks: an account's name, or an agent's id. \`${NO_REVIEWER}\`: none, whatever wider settings say`,
  ),
  verification_model: Line.nullable().describe("The model of the reviewer; else its account's"),
  verification_reasoning: Line.nullable(),
}

/** Whether and how tasks are verified where a task doesn't say it itself. Null leaves it to the next wider setting. */
export const VerificationSettings = z
  .strictObject({
    verify: z
      .boolean()
      .nullable()
      .describe("Whether tasks count as completed only once the project's own checks pass on their commit"),
    allow_test_changes: z.boolean().nullable().describe("Whether agents may change tests that were there before"),
    verification_attempts: z.int().min(1).max(MAX_ATTEMPTS).nullable().describe("The attempts of an agent to pass"),
    ...reviewerFields,
  })
  .meta({ id: "VerificationSettings" })
export type VerificationSettings = z.infer<typeof VerificationSettings>

export const unsetVerification: VerificationSettings = {
  verify: null,
  allow_test_changes: null,
  verification_attempts: null,
  verification_agent: null,
  verification_model: null,
  verification_reasoning: null,
}

/** Changes to settings; the rest stays. */
export const VerificationChange = VerificationSettings.partial()
export type VerificationChange = z.infer<typeof VerificationChange>

/** The settings of a session and of its repository, and what they come to. */
export const SessionVerification = z
  .object({
    session: VerificationSettings,
    repository: VerificationSettings.describe("Those of the repository, for all its sessions"),
    owner: VerificationSettings.describe("Your own, for all your sessions"),
    effective: z.object({
      verify: z.boolean(),
      allow_test_changes: z.boolean(),
      verification_attempts: z.int().min(1).max(MAX_ATTEMPTS),
      verification_agent: z.string().nullable().describe("Null where nobody reviews"),
      verification_model: z.string().nullable(),
      verification_reasoning: z.string().nullable(),
    }),
  })
  .meta({ id: "SessionVerification" })
export type SessionVerification = z.infer<typeof SessionVerification>
