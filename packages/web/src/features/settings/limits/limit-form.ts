import { LimitRule } from "@switchyard/core/agents/hand-off/schema"
import { type ActionSettings, ActionSettingsChange } from "@switchyard/core/people/settings/limit-settings-schema"
import type * as z from "zod"

type Settings = z.infer<typeof ActionSettings>
type Faults = Partial<Record<string, string>>

/** A rule as filled in. */
export interface RuleForm extends Pick<LimitRule, "event" | "action"> {
  threshold: string
  /** Empty for the next account in the fallback order. */
  target: string
}

export const blankRule: RuleForm = { event: "session_usage", action: "notify", threshold: "90", target: "" }

export function toRuleForm({ event, action, threshold, target_account }: LimitRule): RuleForm {
  return { event, action, threshold: String(threshold), target: target_account ?? "" }
}

/** Returns the rule for the request, or the form's errors by field. */
export function fromRuleForm(form: RuleForm): { rule: LimitRule } | { faults: Faults } {
  const { event, action, threshold, target } = form
  const parsed = LimitRule.safeParse({
    ...{ event, action, threshold: numberOf(threshold) },
    ...(action === "switch_provider" && target !== "" && { target_account: target }),
  })
  const isFutile = event === "context_usage" && action === "await_reset"
  const faults = {
    ...(!parsed.success && { threshold: COUNT }),
    ...(isFutile && { action: "Waiting doesn't free up context." }),
  }
  return parsed.success && !isFutile ? { rule: parsed.data } : { faults }
}

/** Settings for waiting, as filled in. */
export interface WaitingForm {
  maxWaits: string
  isQuiet: boolean
  from: string
  to: string
  timeZone: string
}

export function toWaitingForm({ max_waits, quiet_hours }: Settings, timeZone: string): WaitingForm {
  return {
    maxWaits: String(max_waits),
    isQuiet: quiet_hours !== null,
    from: quiet_hours?.from ?? "22:00",
    to: quiet_hours?.to ?? "07:00",
    timeZone: quiet_hours?.time_zone ?? timeZone,
  }
}

/** Returns the settings for the request, or the form's errors by field. */
export function fromWaitingForm({ maxWaits, isQuiet, from, to, timeZone }: WaitingForm) {
  const parsed = ActionSettingsChange.safeParse({
    max_waits: numberOf(maxWaits),
    quiet_hours: isQuiet ? { from, to, time_zone: timeZone.trim() } : null,
  })
  if (parsed.success) return { settings: parsed.data }
  const faults: Faults = Object.fromEntries(
    parsed.error.issues.map(({ path: [field, part] }) =>
      field === "max_waits" ? ["maxWaits", COUNT] : part === "time_zone" ? ["timeZone", ZONE] : [String(part), TIME],
    ),
  )
  return { faults }
}

const COUNT = "Enter a whole number from 0 to 100."
const TIME = "Enter a time such as 22:30."
const ZONE = "Unknown time zone."

/** Returns NaN if the text isn't a number, which the schema refuses. */
function numberOf(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text)
}
