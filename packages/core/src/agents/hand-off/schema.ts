import * as z from "zod"
import { CliId } from "../clis/clis.ts"

/**
 * Limits that rules can refer to: usage within a few hours, usage within a week, and a conversation's context window.
 */
export const LimitKind = z.enum(["session_usage", "weekly_usage", "context_usage"])
export type LimitKind = z.infer<typeof LimitKind>

const LimitAction = z.enum(["notify", "switch_provider", "await_reset"])

/** An owner's rule for a limit that is used up or nearly used up. */
export const LimitRule = z
  .strictObject({
    event: LimitKind,
    threshold: z.int().min(0).max(100).describe("Percentage. 100 means only when the limit is used up"),
    action: LimitAction,
    target_account: z
      .string()
      .max(64)
      .nullish()
      .describe("For `switch_provider`: account that takes over; defaults to the next in the fallback order"),
  })
  .meta({ id: "LimitRule" })
export type LimitRule = z.infer<typeof LimitRule>

const TimeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "It must be a time of day, such as 22:30.")

/** Hours during which nothing resumes automatically. */
export const QuietHours = z.strictObject({
  from: TimeOfDay,
  to: TimeOfDay,
  time_zone: z.string().max(100).refine(isTimeZone, "There is no such time zone."),
})
export type QuietHours = z.infer<typeof QuietHours>

/** An account that can take over a task, and its program. */
export const FallbackProgram = z.object({
  account: z.string(),
  cli: CliId,
  model: z.string().nullable(),
  reasoning: z.string().nullable(),
  limited_until: z.iso.datetime().optional().describe("End of a limit that was known when the task was given"),
})
export type FallbackProgram = z.infer<typeof FallbackProgram>

/** An owner's limit settings at the time when a task was given. */
export const HandOffPlan = z.object({
  rules: z.array(LimitRule),
  order: z.array(z.string()).describe("Names of accounts that may take over"),
  programs: z.array(FallbackProgram).describe("Those accounts, and the targets of rules"),
  max_waits: z.int().nonnegative(),
  quiet_hours: QuietHours.nullable(),
})
export type HandOffPlan = z.infer<typeof HandOffPlan>

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

/** Default rules: people are notified, and a task ends when a limit is used up. */
export const DEFAULT_PLAN: HandOffPlan = {
  rules: LimitKind.options.map((event) => ({ event, threshold: 90, action: "notify" })),
  order: [],
  programs: [],
  max_waits: 5,
  quiet_hours: null,
}
