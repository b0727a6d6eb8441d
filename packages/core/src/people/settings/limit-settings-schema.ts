import * as z from "zod"
import { DEFAULT_PLAN, LimitRule, QuietHours } from "../../agents/hand-off/schema.ts"

const AccountNames = z.array(z.string().max(64)).max(50)

export const MAX_RULES = 50

/** Settings for what agents do when an account's limit is used up or nearly used up. */
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

/** Limit rules as returned by the API. */
export const ActionSettings = z
  .object({
    settings: LimitSettings.shape.rules.describe("Rules in order. If a rule can't be followed, the next one applies"),
    max_waits: LimitSettings.shape.max_waits.describe("How often one task may wait for a limit"),
    quiet_hours: LimitSettings.shape.quiet_hours.describe(
      "Hours during which waiting tasks don't continue automatically",
    ),
  })
  .meta({ id: "ActionSettings" })
export const ActionSettingsChange = z.strictObject(ActionSettings.shape).partial().meta({ id: "ActionSettingsChange" })

export const FallbackOrder = z
  .strictObject({
    order: AccountNames.describe(
      "Names of the accounts that take over. The one after the current account continues the task",
    ),
  })
  .meta({ id: "FallbackOrder" })

export const SwitchThreshold = z
  .strictObject({ threshold: z.int().min(0).max(100).describe("Percentage. 100 means only once the limit is used up") })
  .meta({ id: "SwitchThreshold" })
