import * as z from "zod"
import { DEFAULT_PLAN, LimitRule, QuietHours } from "../../agents/hand-off/schema.ts"

const AccountNames = z.array(z.string().max(64)).max(50)

export const MAX_RULES = 50

/** Reactions of agents when an account's limit is used up, or nearly so. */
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

/** The limit rules as the API shows them. */
export const ActionSettings = z
  .object({
    settings: LimitSettings.shape.rules.describe("Rules in order; if a rule can't be followed, the next applies"),
    max_waits: LimitSettings.shape.max_waits.describe("Maximum number of waits for a limit by one task"),
    quiet_hours: LimitSettings.shape.quiet_hours.describe("Hours in which no waiting task continues by itself"),
  })
  .meta({ id: "ActionSettings" })
export const ActionSettingsChange = z.strictObject(ActionSettings.shape).partial().meta({ id: "ActionSettingsChange" })

export const FallbackOrder = z
  .strictObject({
    order: AccountNames.describe("Accounts that take over, by name; the next after the current one continues"),
  })
  .meta({ id: "FallbackOrder" })

export const SwitchThreshold = z
  .strictObject({ threshold: z.int().min(0).max(100).describe("Percentage. 100 means only when the limit is used up") })
  .meta({ id: "SwitchThreshold" })
