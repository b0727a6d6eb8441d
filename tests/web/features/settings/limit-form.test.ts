import { expect, it } from "vitest"
import {
  fromRuleForm,
  fromWaitingForm,
  toRuleForm,
  toWaitingForm,
} from "../../../../packages/web/src/features/settings/limits/limit-form.ts"

const rule = { event: "session_usage" as const, action: "switch_provider" as const, threshold: 90 }
const waiting = {
  settings: [],
  max_waits: 5,
  quiet_hours: { from: "22:00", to: "07:30", time_zone: "Europe/Berlin" },
}

it("shows the rules about limits as they are stored, and sends them back unchanged", () => {
  for (const stored of [rule, { ...rule, target_account: "work" }, { ...rule, action: "notify" as const }]) {
    expect(fromRuleForm(toRuleForm(stored))).toEqual({ rule: stored })
  }
  const { settings: _, ...stored } = waiting
  expect(fromWaitingForm(toWaitingForm(waiting, "UTC"))).toEqual({ settings: stored })
  const loud = { ...waiting, quiet_hours: null }
  expect(fromWaitingForm(toWaitingForm(loud, "UTC"))).toEqual({ settings: { ...stored, quiet_hours: null } })
  expect(toWaitingForm(loud, "Asia/Tokyo").timeZone).toBe("Asia/Tokyo")
})

it("says of each field what is wrong with it", () => {
  const form = toRuleForm(rule)
  const threshold = "Enter a whole number from 0 to 100."
  expect(fromRuleForm({ ...form, threshold: "101" })).toEqual({ faults: { threshold } })
  expect(fromRuleForm({ ...form, threshold: "" })).toEqual({ faults: { threshold } })
  expect(fromRuleForm({ ...form, event: "context_usage", action: "await_reset" })).toEqual({
    faults: { action: "Waiting doesn't free up context." },
  })
  const filled = toWaitingForm(waiting, "UTC")
  const wrong = { ...filled, maxWaits: "-1", from: "25:00", timeZone: "Mars/Olympus" }
  expect(fromWaitingForm(wrong)).toEqual({
    faults: { maxWaits: threshold, from: "Enter a time such as 22:30.", timeZone: "Unknown time zone." },
  })
  // A hidden field can't be invalid.
  expect(fromWaitingForm({ ...filled, isQuiet: false, timeZone: "Mars/Olympus" })).toHaveProperty("settings")
})
