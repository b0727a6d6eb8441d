import * as z from "zod"
import { Tokens } from "../../work/usage/schema.ts"

/** The names by which usage can be put together. */
export const UsageKey = z.enum(["day", "account", "provider", "model", "repository", "session", "run", "agent", "kind"])
export type UsageKey = z.infer<typeof UsageKey>

const Amounts = {
  tokens: Tokens.describe("As they were reported. Null is unknown, not zero"),
  estimated_input: z.number().describe("Tokens that nobody reported, as an estimate; not among `tokens`"),
  estimated_output: z.number(),
  cost_usd: z
    .number()
    .nullable()
    .describe(
      "An estimate by list prices, with the fees of searches, or what the agent's program says; null where no price is known",
    ),
  cost_is_complete: z.boolean().describe("False where a part of it has no known price, or was not reported"),
  reports: z.int().describe("Reports of usage; an agent's may be of several requests"),
  unreported: z.int().describe("Those whose provider didn't say how many tokens it took"),
  searches: z.int().describe("Searches of the web for which a provider or a service takes a fee"),
  machine_seconds: z
    .number()
    .describe("Time of containers and functions of a stage in AWS; 0 on a machine of one's own"),
  machine_usd: z.number().describe("An estimate of its price by `machines`; not a part of `cost_usd`"),
}

const Name = z.string().nullable().optional()
const names = Object.fromEntries(UsageKey.options.map((name) => [name, Name])) as Record<UsageKey, typeof Name>

/** Usage that was put together. Of the names, those that were asked for are there. */
const UsageGroup = z.object({ ...names, ...Amounts }).meta({ id: "UsageGroup" })
export type UsageGroup = z.infer<typeof UsageGroup>

const Total = z.object(Amounts).meta({ id: "UsageTotal" })
export type UsageTotal = z.infer<typeof Total>

export const UsageReport = z
  .object({
    from: z.string(),
    to: z.string(),
    prices_as_of: z.string().describe("The day of the list prices"),
    search_fees_as_of: z.string().describe("The day of the fees for searches of the web"),
    machines: z
      .object({
        prices_as_of: z.string(),
        region: z.string(),
        container_hour_usd: z.number().describe("An hour of the container in which a session's agents work"),
        function_hour_usd: z.number().describe("An hour of the function that runs what needs no container"),
      })
      .meta({ id: "MachinePrices" })
      .describe("The prices by which the time of machines is estimated"),
    groups: z.array(UsageGroup),
    total: Total,
  })
  .meta({ id: "UsageReport" })
export type UsageReport = z.infer<typeof UsageReport>

const Day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, "A day is YYYY-MM-DD.")
  .refine(isDay, "There is no such day.")

/** The usage that is asked for. */
export const UsageQuery = z.object({
  from: Day.optional().describe("The first day, in UTC; 29 days before the last if it isn't given"),
  to: Day.optional().describe("The last day; today if it isn't given"),
  group_by: z
    .string()
    .max(100)
    .default("day")
    .refine((names) => keysIn(names) !== undefined, `It must be some of ${UsageKey.options.join(", ")}.`)
    .describe(`Names separated by commas: ${UsageKey.options.join(", ")}`),
  account: z.string().max(64).optional(),
  provider: z.string().max(64).optional(),
  model: z.string().max(200).optional(),
  repository: z.string().max(4096).optional(),
  session: z.string().max(200).optional(),
  run: z.string().max(200).optional(),
  agent: z.string().max(200).optional(),
  kind: z.string().max(64).optional(),
})
export type UsageQuery = z.infer<typeof UsageQuery>

/** The names in a list that is separated by commas; undefined if one of them is none. */
export function keysIn(names: string): UsageKey[] | undefined {
  const each = names.split(",").filter((name) => name !== "")
  return z.array(UsageKey).safeParse(each).data
}

/** One of an account's limits, as its provider last reported it. */
const UsageWindow = z.object({
  window: z.string(),
  used_percent: z.number(),
  resets_at: z.iso.datetime().nullable(),
  reported_at: z.iso.datetime(),
})

export const AccountUsage = z
  .object({
    account_name: z.string(),
    provider: z.string(),
    session_usage_pct: z.number().nullable().describe("The used part of the limit of a few hours, if it is known"),
    weekly_usage_pct: z.number().nullable(),
    session_reset_eta: z.iso.datetime().nullable(),
    weekly_reset_eta: z.iso.datetime().nullable(),
    limited_until: z.iso.datetime().nullable().describe("The end of a limit that is known to be used up"),
    windows: z.array(UsageWindow).describe("Limits that have been reset since are left out"),
    last_30_days: Total,
  })
  .meta({ id: "AccountUsage" })
export type AccountUsage = z.infer<typeof AccountUsage>

function isDay(day: string): boolean {
  if (Number.isNaN(Date.parse(day))) return false
  return new Date(day).toISOString().startsWith(day)
}
