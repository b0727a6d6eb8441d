import * as z from "zod"
import { NO_REVIEWER } from "../../work/verification/review-schema.ts"
import { MAX_ATTEMPTS } from "../../work/verification/schema.ts"
import { ONE_LINE } from "../access/schema.ts"

const Line = z.string().trim().min(1).max(200).regex(ONE_LINE, "It must be a single line of text.")

/**
 * An owner's defaults for verifying agents' work. They apply if the task, its session and its repository don't set
 * anything else.
 */
export const OwnerVerification = z.strictObject({
  enabled: z
    .boolean()
    .describe(
      "If false, tasks are verified only if they request it themselves. Settings of their session and repository don't apply",
    ),
  auto_run: z.boolean().describe("If true, tasks are verified by default"),
  account_name: Line.nullable(),
  model: Line.nullable(),
  attempts: z.int().min(1).max(MAX_ATTEMPTS).nullable(),
})
export type OwnerVerification = z.infer<typeof OwnerVerification>

export const defaultVerification: OwnerVerification = {
  enabled: true,
  auto_run: false,
  account_name: null,
  model: null,
  attempts: null,
}

const { enabled, auto_run } = OwnerVerification.shape

/** Verification switches as returned by the API. */
export const VerificationSwitch = z.object({ enabled, auto_run }).meta({ id: "VerificationSwitch" })
export const VerificationSwitchChange = z
  .strictObject({ enabled, auto_run })
  .partial()
  .meta({ id: "VerificationSwitchChange" })

export const VerificationAgent = z
  .strictObject({
    account_name: Line.nullable().describe(
      `An account or agent ID; null or \`${NO_REVIEWER}\` means no reviewer by default`,
    ),
  })
  .meta({ id: "VerificationAgent" })

export const PreferredVerificationModel = z
  .strictObject({ model: Line.nullable().describe("Model for that agent; null means its account's model") })
  .meta({ id: "PreferredVerificationModel" })

export const MaxVerificationAttempts = z
  .strictObject({ attempts: z.int().min(1).max(MAX_ATTEMPTS).describe("How many attempts an agent has to pass") })
  .meta({ id: "MaxVerificationAttempts" })
