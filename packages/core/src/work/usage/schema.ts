import * as z from "zod"

/** Reported token counts. A count is null if no report contained it. */
export const Tokens = z.object({
  input: z.number().nullable().describe("Excludes cached tokens"),
  cache_read: z.number().nullable(),
  cache_write: z.number().nullable(),
  output: z.number().nullable(),
})
export type Tokens = z.infer<typeof Tokens>

/** Usage of one run on one day, with one model and account. */
export const UsageRow = z.object({
  /** Day in UTC, such as `2026-01-31`. */
  day: z.string(),
  account: z.string().nullable(),
  /** Name of a model provider or of an agent's CLI. */
  provider: z.string(),
  model: z.string(),
  tokens: Tokens,
  /** Estimates of tokens that weren't reported. */
  estimated: z.object({ input: z.number(), output: z.number() }),
  /** Number of all usage reports, and number of reports with incomplete counts. */
  reports: z.number(),
  unreported: z.number(),
  /** Number of web searches that the provider charges for. Missing in older records. */
  searches: z.number().default(0),
  /** Cost in dollars, as reported by the agent's CLI. */
  reported_cost: z.number().nullable(),
  /** Working time on machines with a price. Missing in older records. */
  machine: z
    .object({
      /** Time in containers of the stage's default size. */
      container_ms: z.number(),
      function_ms: z.number(),
      /** Time in containers of other sizes, by the size's name. */
      sized_ms: z.record(z.string(), z.number()).optional(),
    })
    .default({ container_ms: 0, function_ms: 0 }),
})
export type UsageRow = z.infer<typeof UsageRow>

/** Ledger record: usage of one run on one day. */
export const LedgerEntry = z.object({
  run_id: z.string(),
  session_id: z.string(),
  kind: z.string(),
  agent_id: z.string(),
  repository: z.string().nullable(),
  /** `seq` of the last counted event. */
  seq: z.number(),
  rows: z.array(UsageRow),
})
export type LedgerEntry = z.infer<typeof LedgerEntry>
