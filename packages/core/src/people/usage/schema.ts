import * as z from "zod"
import { Tokens } from "../../work/usage/schema.ts"

/** Keys for grouping usage. */
export const UsageKey = z.enum(["day", "account", "provider", "model", "repository", "session", "run", "agent", "kind"])
export type UsageKey = z.infer<typeof UsageKey>

const Amounts = {
  tokens: Tokens.describe("Reported tokens. Null means unknown, not zero"),
  estimated_input: z.number().describe("Estimated unreported tokens, not included in `tokens`"),
  estimated_output: z.number(),
  cost_usd: z
    .number()
    .nullable()
    .describe(
      "Estimate from list prices and search fees, or the amount reported by the agent's program; null if no price is known",
    ),
  cost_is_complete: z.boolean().describe("False if part of the usage has no known price or wasn't reported"),
  reports: z.int().describe("Number of usage reports. One report from an agent may cover several requests"),
  unreported: z.int().describe("Reports that don't include a number of tokens"),
  searches: z.int().describe("Web searches charged by a provider or service"),
  machine_seconds: z.number().describe("Container and function time in AWS; 0 on a local machine"),
  machine_usd: z.number().describe("Estimated price of that time, based on `machines`; not included in `cost_usd`"),
}

const Name = z.string().nullable().optional()
const names = Object.fromEntries(UsageKey.options.map((name) => [name, Name])) as Record<UsageKey, typeof Name>

/** Usage of one group, labelled with the values of its keys. */
const UsageGroup = z.object({ ...names, ...Amounts }).meta({ id: "UsageGroup" })
export type UsageGroup = z.infer<typeof UsageGroup>

const Total = z.object(Amounts).meta({ id: "UsageTotal" })
export type UsageTotal = z.infer<typeof Total>

export const UsageReport = z
  .object({
    from: z.string(),
    to: z.string(),
    prices_as_of: z.string().describe("Date of the list prices"),
    search_fees_as_of: z.string().describe("Date of the web search fees"),
    machines: z
      .object({
        prices_as_of: z.string(),
        region: z.string(),
        container_hour_usd: z.number().describe("Hourly price of the container that a session's agents work in"),
        container_sizes: z
          .array(z.object({ size: z.string(), hour_usd: z.number() }))
          .optional()
          .describe("Hourly prices of the other sizes that a repository's settings may name"),
        function_hour_usd: z.number().describe("Hourly price of the function that does work without a container"),
      })
      .meta({ id: "MachinePrices" })
      .describe("Prices used to estimate machine time"),
    groups: z.array(UsageGroup),
    total: Total,
  })
  .meta({ id: "UsageReport" })
export type UsageReport = z.infer<typeof UsageReport>

export const BuildEstimate = z
  .object({
    model: z.string().describe("`provider/model`"),
    usd: z
      .object({ low: z.number(), high: z.number() })
      .nullable()
      .describe("Usual cost of a build, in dollars; null if the model's price is unknown"),
    builds: z
      .int()
      .describe(
        "Number of your own builds that the estimate is based on; 0 if it is based on projects of 5 to 15 files",
      ),
    prices_as_of: z.string().describe("Date of the list prices"),
  })
  .meta({ id: "BuildEstimate" })
export type BuildEstimate = z.infer<typeof BuildEstimate>

const Day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, "A day must have the format YYYY-MM-DD.")
  .refine(isDay, "This day doesn't exist.")

export const UsageQuery = z.object({
  from: Day.optional().describe("First day, in UTC; defaults to 29 days before the last day"),
  to: Day.optional().describe("Last day; defaults to today"),
  group_by: z
    .string()
    .max(100)
    .default("day")
    .refine(
      (names) => keysIn(names) !== undefined,
      `It must be a list of one or more of ${UsageKey.options.join(", ")}.`,
    )
    .describe(`Comma-separated list of one or more of ${UsageKey.options.join(", ")}`),
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

/** Parses a comma-separated list of keys. Returns undefined if a key is unknown. */
export function keysIn(names: string): UsageKey[] | undefined {
  const each = names.split(",").filter((name) => name !== "")
  return z.array(UsageKey).safeParse(each).data
}

/** A limit of an account, as last reported by its provider. */
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
    session_usage_pct: z.number().nullable().describe("Percentage used of the limit that covers a few hours, if known"),
    weekly_usage_pct: z.number().nullable(),
    session_reset_eta: z.iso.datetime().nullable(),
    weekly_reset_eta: z.iso.datetime().nullable(),
    limited_until: z.iso.datetime().nullable().describe("When the limits known to be used up will have reset"),
    windows: z.array(UsageWindow).describe("Limits that haven't reset since they were reported"),
    last_30_days: Total,
  })
  .meta({ id: "AccountUsage" })
export type AccountUsage = z.infer<typeof AccountUsage>

function isDay(day: string): boolean {
  if (Number.isNaN(Date.parse(day))) return false
  return new Date(day).toISOString().startsWith(day)
}
