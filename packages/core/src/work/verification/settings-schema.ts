import * as z from "zod"
import { ONE_LINE } from "../../people/access/schema.ts"
import { NO_REVIEWER } from "./review-schema.ts"
import { MAX_ATTEMPTS } from "./schema.ts"

const Line = z.string().trim().min(1).max(200).regex(ONE_LINE, "It must be a single line of text.")

/** Settings for the agent that reviews work after its checks have passed. */
export const reviewerFields = {
  verification_agent: Line.nullable().describe(
    `The agent that reviews the work after its checks have passed: an account name or agent ID. \`${NO_REVIEWER}\` disables reviews, overriding wider settings`,
  ),
  verification_model: Line.nullable().describe("The reviewer's model; defaults to its account's model"),
  verification_reasoning: Line.nullable(),
}

/** Verification settings that apply to tasks by default. A null field inherits its value from the next wider scope. */
export const VerificationSettings = z
  .strictObject({
    verify: z
      .boolean()
      .nullable()
      .describe("Whether a task only counts as completed once the project's own checks have passed on its commit"),
    allow_test_changes: z.boolean().nullable().describe("Whether agents may change existing tests"),
    verification_attempts: z
      .int()
      .min(1)
      .max(MAX_ATTEMPTS)
      .nullable()
      .describe("Maximum number of attempts an agent has to pass"),
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

/** Changes to the settings. Omitted fields remain unchanged. */
export const VerificationChange = VerificationSettings.partial()
export type VerificationChange = z.infer<typeof VerificationChange>

/** The settings of a session, its repository and its owner, with the effective settings that result from them. */
export const SessionVerification = z
  .object({
    session: VerificationSettings,
    repository: VerificationSettings.describe("The repository's settings, for all its sessions"),
    owner: VerificationSettings.describe("Your own settings, for all your sessions"),
    effective: z.object({
      verify: z.boolean(),
      allow_test_changes: z.boolean(),
      verification_attempts: z.int().min(1).max(MAX_ATTEMPTS),
      verification_agent: z.string().nullable().describe("Null if there is no reviewer"),
      verification_model: z.string().nullable(),
      verification_reasoning: z.string().nullable(),
    }),
  })
  .meta({ id: "SessionVerification" })
export type SessionVerification = z.infer<typeof SessionVerification>
