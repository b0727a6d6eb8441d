import * as z from "zod"
import { MAX_ATTEMPTS } from "./schema.ts"

/** Whether and how tasks are verified where a task doesn't say it itself. Null leaves it to the next wider setting. */
export const VerificationSettings = z
  .strictObject({
    verify: z
      .boolean()
      .nullable()
      .describe("Whether tasks count as completed only once the project's own checks pass on their commit"),
    allow_test_changes: z.boolean().nullable().describe("Whether agents may change tests that were there before"),
    verification_attempts: z.int().min(1).max(MAX_ATTEMPTS).nullable().describe("The attempts of an agent to pass"),
  })
  .meta({ id: "VerificationSettings" })
export type VerificationSettings = z.infer<typeof VerificationSettings>

export const unsetVerification: VerificationSettings = {
  verify: null,
  allow_test_changes: null,
  verification_attempts: null,
}

/** Changes to settings; the rest stays. */
export const VerificationChange = VerificationSettings.partial()
export type VerificationChange = z.infer<typeof VerificationChange>

/** The settings of a session and of its repository, and what they come to. */
export const SessionVerification = z
  .object({
    session: VerificationSettings,
    repository: VerificationSettings.describe("Those of the repository, for all its sessions"),
    effective: z.object({
      verify: z.boolean(),
      allow_test_changes: z.boolean(),
      verification_attempts: z.int().min(1).max(MAX_ATTEMPTS),
    }),
  })
  .meta({ id: "SessionVerification" })
export type SessionVerification = z.infer<typeof SessionVerification>
