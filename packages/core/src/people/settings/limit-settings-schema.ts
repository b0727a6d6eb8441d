import * as z from "zod"
import { DEFAULT_PLAN, LimitRule, QuietHours } from "../../agents/hand-off/schema.ts"

const AccountNames = z.array(z.string().max(64)).max(50)

export const MAX_RULES = 50

/** The reactions of agents to an account's limit that is used up, or nearly so. */
export const LimitSettings = z.object({
  rules: z.array(LimitRule).max(MAX_RULES),
  order: AccountNames,
  max_waits: z.int().min(0).max(100),
  quiet_hours: QuietHours.nullable(),
})
export type LimitSettings = z.infer<typeof LimitSettings>

export const defaultLimitSettings: LimitSettings = {
  rules: DEFAULT_PLAN.rules,
  order: [],
  max_waits: DEFAULT_PLAN.max_waits,
  quiet_hours: null,
}

/** The rules about limits as the API shows them. */
export const ActionSettings = z
  .object({
    settings: LimitSettings.shape.rules.describe(
      "Asked in this order; one that can't be followed leaves it to the next",
    ),
    max_waits: LimitSettings.shape.max_waits.describe("How often one task waits for a limit to be reset"),
    quiet_hours: LimitSettings.shape.quiet_hours.describe("Hours in which no task that waits goes on by itself"),
  })
  .meta({ id: "ActionSettings" })
export const ActionSettingsChange = z.strictObject(ActionSettings.shape).partial().meta({ id: "ActionSettingsChange" })

export const FallbackOrder = z
  .strictObject({ order: AccountNames.describe("Accounts to go on with, by name; the next after the one that works") })
  .meta({ id: "FallbackOrder" })

export const SwitchThreshold = z
  .strictObject({ threshold: z.int().min(0).max(100).describe("In percent. 100: never before the limit is used up") })
  .meta({ id: "SwitchThreshold" })
