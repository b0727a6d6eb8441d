import { expect, it } from "vitest"
import { fromLimitForm, toLimitForm } from "../../../../packages/web/src/features/settings/limits/limit-form.ts"

const settings = {
  settings: [
    { event: "weekly_usage" as const, action: "notify" as const, threshold: 80 },
    { event: "session_usage" as const, action: "switch_provider" as const, threshold: 90, target_account: "work" },
    { event: "session_usage" as const, action: "await_reset" as const, threshold: 100 },
  ],
  max_waits: 5,
  quiet_hours: { from: "22:00", to: "07:30", time_zone: "Europe/Berlin" },
}

it("shows the rules about limits as they are stored, and sends them back unchanged", () => {
  expect(fromLimitForm(toLimitForm(settings, "UTC"))).toEqual({ settings })
  const loud = { ...settings, quiet_hours: null }
  expect(fromLimitForm(toLimitForm(loud, "UTC"))).toEqual({ settings: loud })
  expect(toLimitForm(loud, "Asia/Tokyo").timeZone).toBe("Asia/Tokyo")
})

it("says of each field what is wrong with it", () => {
  const form = toLimitForm(settings, "UTC")
  const [first, second, third] = form.rules
  if (!first || !second || !third) throw new Error("There are three rules.")
  const rules = [
    { ...first, threshold: "101" },
    { ...second, threshold: "" },
    { ...third, event: "context_usage" as const },
  ]
  const wrong = fromLimitForm({ ...form, rules, maxWaits: "-1", from: "25:00", timeZone: "Mars/Olympus" })
  expect(wrong).toEqual({
    faults: {
      "0.threshold": "A whole number from 0 to 100.",
      "1.threshold": "A whole number from 0 to 100.",
      "2.action": "Waiting frees no room.",
      maxWaits: "A whole number from 0 to 100.",
      from: "A time of day, as 22:30.",
      timeZone: "There is no such time zone.",
    },
  })
  // What isn't shown isn't wrong.
  expect(fromLimitForm({ ...form, isQuiet: false, timeZone: "Mars/Olympus" })).toHaveProperty("settings")
})
