import type { LimitRule } from "@switchyard/core/agents/hand-off/schema"
import { type ActionSettings, ActionSettingsChange } from "@switchyard/core/people/settings/limit-settings-schema"
import type * as z from "zod"

type Settings = z.infer<typeof ActionSettings>

/** A rule as filled in. */
export interface RuleForm extends Pick<LimitRule, "event" | "action"> {
  /** Identifies the rule in its list while it is being edited. */
  key: number
  threshold: string
  /** Empty for the next account in the fallback order. */
  target: string
}

/** The rules and related settings, as filled in. */
export interface LimitForm {
  rules: RuleForm[]
  maxWaits: string
  isQuiet: boolean
  from: string
  to: string
  timeZone: string
}

/** A form's errors: of its fields by name, and of a rule by its position and field, such as `0.threshold`. */
export type LimitFaults = Partial<Record<string, string>>

export function toLimitForm({ settings, max_waits, quiet_hours }: Settings, timeZone: string): LimitForm {
  return {
    rules: settings.map(({ event, action, threshold, target_account }, key) => ({
      ...{ key, event, action, threshold: String(threshold), target: target_account ?? "" },
    })),
    maxWaits: String(max_waits),
    isQuiet: quiet_hours !== null,
    from: quiet_hours?.from ?? "22:00",
    to: quiet_hours?.to ?? "07:00",
    timeZone: quiet_hours?.time_zone ?? timeZone,
  }
}

/** Returns the settings for the request, or the form's errors. */
export function fromLimitForm(form: LimitForm): { settings: Settings } | { faults: LimitFaults } {
  const parsed = ActionSettingsChange.required().safeParse({
    settings: form.rules.map(({ event, action, threshold, target }) => ({
      ...{ event, action, threshold: numberOf(threshold) },
      ...(action === "switch_provider" && target !== "" && { target_account: target }),
    })),
    max_waits: numberOf(form.maxWaits),
    quiet_hours: form.isQuiet ? { from: form.from, to: form.to, time_zone: form.timeZone.trim() } : null,
  })
  const faults: LimitFaults = {}
  for (const [at, { event, action }] of form.rules.entries()) {
    if (event === "context_usage" && action === "await_reset") faults[`${at}.action`] = "Waiting frees no room."
  }
  for (const { path } of parsed.error?.issues ?? []) {
    const [field = "", at, inner] = path
    if (field === "settings") faults[`${String(at)}.${String(inner)}`] = COUNT
    else faults[field === "max_waits" ? "maxWaits" : (FIELDS[String(at)] ?? "from")] = WORDS[String(at)] ?? COUNT
  }
  if (!parsed.success || Object.keys(faults).length > 0) return { faults }
  return { settings: parsed.data }
}

const COUNT = "A whole number from 0 to 100."
const TIME = "A time of day, as 22:30."
const FIELDS: Partial<Record<string, string>> = { from: "from", to: "to", time_zone: "timeZone" }
const WORDS: Partial<Record<string, string>> = { from: TIME, to: TIME, time_zone: "There is no such time zone." }

/** Returns NaN if the text isn't a number, which the schema refuses. */
function numberOf(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text)
}
