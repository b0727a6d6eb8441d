import * as z from "zod"

/** Tokens, as far as they were reported; null where no report had them. */
export const Tokens = z.object({
  input: z.number().nullable().describe("Not those of a cache"),
  cache_read: z.number().nullable(),
  cache_write: z.number().nullable(),
  output: z.number().nullable(),
})
export type Tokens = z.infer<typeof Tokens>

/** The usage of one run on one day with one model and account. */
export const UsageRow = z.object({
  /** UTC. */
  day: z.string(),
  account: z.string().nullable(),
  /** A provider of models, or an agent's program. */
  provider: z.string(),
  model: z.string(),
  tokens: Tokens,
  /** Estimates of what was not reported. */
  estimated: z.object({ input: z.number(), output: z.number() }),
  /** Reports of tokens, and those of them that were of an unknown number. */
  reports: z.number(),
  unreported: z.number(),
  /** Searches of the web for which the provider takes a fee; none in records that are older than this. */
  searches: z.number().default(0),
  /** In dollars, as an agent's program says. */
  reported_cost: z.number().nullable(),
  /** The time for which executors worked on machines that have a price; none in records that are older than this. */
  machine: z.object({ container_ms: z.number(), function_ms: z.number() }).default({ container_ms: 0, function_ms: 0 }),
})
export type UsageRow = z.infer<typeof UsageRow>

/** A record of the ledger: the usage of one run on one day. */
export const LedgerEntry = z.object({
  run_id: z.string(),
  session_id: z.string(),
  kind: z.string(),
  agent_id: z.string(),
  repository: z.string().nullable(),
  /** The last event that it counts. */
  seq: z.number(),
  rows: z.array(UsageRow),
})
export type LedgerEntry = z.infer<typeof LedgerEntry>
