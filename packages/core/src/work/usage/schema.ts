import * as z from "zod"

/** Reported tokens. Null if no report contained them. */
export const Tokens = z.object({
  input: z.number().nullable().describe("Without cached tokens"),
  cache_read: z.number().nullable(),
  cache_write: z.number().nullable(),
  output: z.number().nullable(),
})
export type Tokens = z.infer<typeof Tokens>

/** Usage of one run on one day with one model and account. */
export const UsageRow = z.object({
  /** UTC. */
  day: z.string(),
  account: z.string().nullable(),
  /** A provider of models, or an agent's program. */
  provider: z.string(),
  model: z.string(),
  tokens: Tokens,
  /** Estimates of unreported tokens. */
  estimated: z.object({ input: z.number(), output: z.number() }),
  /** All reports of tokens, and those with incomplete counts. */
  reports: z.number(),
  unreported: z.number(),
  /** Web searches with a provider's fee. Older records have none. */
  searches: z.number().default(0),
  /** In dollars, as the agent's program reports it. */
  reported_cost: z.number().nullable(),
  /** Working time on machines that have a price. Older records have none. */
  machine: z.object({ container_ms: z.number(), function_ms: z.number() }).default({ container_ms: 0, function_ms: 0 }),
})
export type UsageRow = z.infer<typeof UsageRow>

/** A record of the ledger: usage of one run on one day. */
export const LedgerEntry = z.object({
  run_id: z.string(),
  session_id: z.string(),
  kind: z.string(),
  agent_id: z.string(),
  repository: z.string().nullable(),
  /** Last counted event. */
  seq: z.number(),
  rows: z.array(UsageRow),
})
export type LedgerEntry = z.infer<typeof LedgerEntry>
