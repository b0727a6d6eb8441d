import * as z from "zod"
import { Tokens } from "../../work/usage/schema.ts"

/** Names that usage can be grouped by. */
export const UsageKey = z.enum(["day", "account", "provider", "model", "repository", "session", "run", "agent", "kind"])
export type UsageKey = z.infer<typeof UsageKey>

const Amounts = {
  tokens: Tokens.describe("Reported tokens. Null means unknown, not zero"),
  estimated_input: z.number().describe("Estimate of unreported tokens, not included in `tokens`"),
  estimated_output: z.number(),
  cost_usd: z
    .number()
    .nullable()
    .describe(
      "Estimate from list prices and search fees, or the amount that the agent's program reports; null if no price is known",
    ),
  cost_is_complete: z.boolean().describe("False if a part has no known price or was not reported"),
  reports: z.int().describe("Number of usage reports; an agent's report may cover several requests"),
  unreported: z.int().describe("Reports without a number of tokens"),
  searches: z.int().describe("Web searches that a provider or service charges for"),
  machine_seconds: z.number().describe("Time of containers and functions in AWS; 0 on a local machine"),
  machine_usd: z.number().describe("Estimated price of that time by `machines`; not included in `cost_usd`"),
}

const Name = z.string().nullable().optional()
const names = Object.fromEntries(UsageKey.options.map((name) => [name, Name])) as Record<UsageKey, typeof Name>

/** Grouped usage, with the requested names. */
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
        container_hour_usd: z.number().describe("Price of an hour of the container that a session's agents work in"),
        function_hour_usd: z.number().describe("Price of an hour of the function for work that needs no container"),
      })
      .meta({ id: "MachinePrices" })
      .describe("Prices used to estimate machine time"),
    groups: z.array(UsageGroup),
    total: Total,
  })
  .meta({ id: "UsageReport" })
export type UsageReport = z.infer<typeof UsageReport>

const Day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, "A day must be YYYY-MM-DD.")
  .refine(isDay, "There is no such day.")

export const UsageQuery = z.object({
  from: Day.optional().describe("First day, in UTC; by default 29 days before the last"),
  to: Day.optional().describe("Last day; by default today"),
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

/** Parses a comma-separated list of names. Returns undefined if one is unknown. */
export function keysIn(names: string): UsageKey[] | undefined {
  const each = names.split(",").filter((name) => name !== "")
  return z.array(UsageKey).safeParse(each).data
}

/** An account's limit, as last reported by its provider. */
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
    session_usage_pct: z.number().nullable().describe("Used percentage of the limit for a few hours, if known"),
    weekly_usage_pct: z.number().nullable(),
    session_reset_eta: z.iso.datetime().nullable(),
    weekly_reset_eta: z.iso.datetime().nullable(),
    limited_until: z.iso.datetime().nullable().describe("End of a limit that is known to be used up"),
    windows: z.array(UsageWindow).describe("Limits, without those that have been reset since"),
    last_30_days: Total,
  })
  .meta({ id: "AccountUsage" })
export type AccountUsage = z.infer<typeof AccountUsage>

function isDay(day: string): boolean {
  if (Number.isNaN(Date.parse(day))) return false
  return new Date(day).toISOString().startsWith(day)
}
