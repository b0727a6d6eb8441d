import * as z from "zod"
import { CliId } from "../clis/schema.ts"

/** The limits that a rule may be about: of a few hours, of a week, and the room that a conversation has. */
export const LimitKind = z.enum(["session_usage", "weekly_usage", "context_usage"])
export type LimitKind = z.infer<typeof LimitKind>

/** The reaction to a limit. */
const LimitAction = z.enum(["notify", "switch_provider", "await_reset"])

/** A rule of an owner about a limit that is nearly used up, or used up. */
export const LimitRule = z
  .strictObject({
    event: LimitKind,
    threshold: z.int().min(0).max(100).describe("In percent. 100: only once the limit is used up"),
    action: LimitAction,
    target_account: z
      .string()
      .max(64)
      .nullish()
      .describe("Of `switch_provider`: the account to go on with; else the next of the fallback order"),
  })
  .meta({ id: "LimitRule" })
export type LimitRule = z.infer<typeof LimitRule>

const TimeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "It must be a time of day, as 22:30.")

/** Hours in which nothing goes on by itself. */
export const QuietHours = z.strictObject({
  from: TimeOfDay,
  to: TimeOfDay,
  time_zone: z.string().max(100).refine(isTimeZone, "There is no such time zone."),
})
export type QuietHours = z.infer<typeof QuietHours>

/** An account that can go on with a task, and its program. */
export const FallbackProgram = z.object({
  account: z.string(),
  cli: CliId,
  model: z.string().nullable(),
  reasoning: z.string().nullable(),
  limited_until: z.iso.datetime().optional().describe("The end of a limit that was known when the task was given"),
})
export type FallbackProgram = z.infer<typeof FallbackProgram>

/** The settings of an owner about limits as they were when a task was given. */
export const HandOffPlan = z.object({
  rules: z.array(LimitRule),
  order: z.array(z.string()).describe("The accounts to go on with, by name"),
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

/** The rules of an owner who has set none: people are told, and a limit that is met ends the task. */
export const DEFAULT_PLAN: HandOffPlan = {
  rules: LimitKind.options.map((event) => ({ event, threshold: 90, action: "notify" })),
  order: [],
  programs: [],
  max_waits: 5,
  quiet_hours: null,
}
