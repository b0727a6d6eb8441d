import * as z from "zod"
import { NO_REVIEWER } from "../../work/verification/review-schema.ts"
import { MAX_ATTEMPTS } from "../../work/verification/schema.ts"
import { ONE_LINE } from "../access/schema.ts"

const Line = z.string().trim().min(1).max(200).regex(ONE_LINE, "It must be a single line of text.")

/** An owner's settings for verifying what agents did, where neither a task nor its session or repository says it. */
export const OwnerVerification = z.strictObject({
  enabled: z
    .boolean()
    .describe("False: no task is verified that doesn't ask for it itself, whatever its session and its repository say"),
  auto_run: z.boolean().describe("Whether tasks are verified where nobody says so"),
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

/** Whether agents' work is verified, as the API shows it. */
export const VerificationSwitch = z.object({ enabled, auto_run }).meta({ id: "VerificationSwitch" })
export const VerificationSwitchChange = z
  .strictObject({ enabled, auto_run })
  .partial()
  .meta({ id: "VerificationSwitchChange" })

export const VerificationAgent = z
  .strictObject({
    account_name: Line.nullable().describe(
      `An account, or an agent's id; null or \`${NO_REVIEWER}\`: nobody reviews where nothing else says it`,
    ),
  })
  .meta({ id: "VerificationAgent" })

export const PreferredVerificationModel = z
  .strictObject({ model: Line.nullable().describe("The model of that agent; null: its account's") })
  .meta({ id: "PreferredVerificationModel" })

export const MaxVerificationAttempts = z
  .strictObject({ attempts: z.int().min(1).max(MAX_ATTEMPTS).describe("The attempts of an agent to pass") })
  .meta({ id: "MaxVerificationAttempts" })
