import type { SessionLog } from "../../kernel/session-log.ts"
import type { RecordKey, Records } from "../../storage/records.ts"
import type { RunIndex, RunRef } from "../runs/run-index.ts"
import { storeQuotas } from "./quotas.ts"
import type { RunUsage } from "./run-usage.ts"
import { LedgerEntry } from "./schema.ts"

/**
 * Usage of each owner's runs, with one record per run and day. The records are derived from the session logs, but
 * remain after the logs are deleted.
 */
export type Ledger = ReturnType<typeof createLedger>

type Session = Pick<SessionLog, "sid" | "state">

/** Retention of a record, in days. */
export const LEDGER_DAYS = 400
const ATTEMPTS = 5

export function createLedger({ records, index }: { records: Records; index: Pick<RunIndex, "get"> }) {
  return {
    /** Updates a run's records from its session log. Idempotent. */
    async update({ state }: Session, runId: string, options: { signal: AbortSignal }): Promise<void> {
      const run = Object.hasOwn(state.usage.runs, runId) ? state.usage.runs[runId] : undefined
      if (!run || (run.rows.length === 0 && Object.keys(state.usage.quotas).length === 0)) return
      const ref = await index.get(runId, options)
      if (!ref) return
      for (const day of new Set(run.rows.map((row) => row.day))) await storeDay(records, ref, run, day, options)
      await storeQuotas(records, ref.owner, state.usage.quotas, options)
    },
    /** Yields an owner's records for these days (inclusive), oldest first. */
    async *read(owner: string, { from, to }: { from: string; to: string }, options: { signal: AbortSignal }) {
      const range = { from, to: `${to}~`, ...options }
      for await (const { value } of records.range(partitionOf(owner), range)) yield LedgerEntry.parse(value)
    },
  }
}

/**
 * Stores the complete usage of a run on one day. Records are never incremented. A record is only replaced by a record
 * that covers more events, so concurrent writers count nothing twice.
 */
async function storeDay(
  records: Records,
  { owner, run_id, session_id }: RunRef,
  run: RunUsage,
  day: string,
  options: { signal: AbortSignal },
): Promise<void> {
  const { kind, agentId: agent_id, repository, seq } = run
  const rows = run.rows.filter((row) => row.day === day)
  const value: LedgerEntry = { run_id, session_id, kind, agent_id, repository, seq, rows }
  const key: RecordKey = { partition: partitionOf(owner), sort: `${day}/${run_id}` }
  const expiresAt = Math.ceil(Date.parse(day) / 1000) + LEDGER_DAYS * 86_400
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await records.get(key, options)
    if (before && Number(before.value.seq) >= seq) return
    const condition = before ? { ifVersion: before.version } : { ifAbsent: true as const }
    if ((await records.put(key, { value }, { ...condition, expiresAt, ...options })) !== undefined) return
  }
}

function partitionOf(owner: string): string {
  return `usage/${owner}`
}
