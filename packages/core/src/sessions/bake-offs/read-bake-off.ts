import { readWorktree } from "../../files/worktrees/latest.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionLogDeps } from "../../kernel/session-log.ts"
import { totalOfRows } from "../../people/usage/report.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { BakeOff, BakeOffRow, Entrant } from "../../work/bake-offs/schema.ts"
import type { BakeOffState } from "../../work/bake-offs/state.ts"
import { findRun } from "../../work/runs/ended-runs.ts"
import type { Launcher } from "../../work/runs/launcher.ts"
import type { Run } from "../../work/runs/schema.ts"
import { totalOf } from "../../work/usage/counts.ts"
import type { OwnedSession } from "../agents/agents.ts"
import { describeRun } from "../run-view.ts"

export interface ReadBakeOffDeps extends SessionLogDeps {
  blobs: Blobs
  launcher: Pick<Launcher, "waitingBefore">
}

/** Returns a bake-off with its entrants' current results, or with their final results if the bake-off is settled. */
export async function readBakeOff(
  deps: ReadBakeOffDeps,
  session: OwnedSession,
  bakeOff: BakeOffState,
  options: { signal: AbortSignal },
): Promise<BakeOff> {
  const { bakeOffId: bake_off_id, title, createdAt: created_at, verify, settledSeq, choice } = bakeOff
  const rows =
    settledSeq === null
      ? await Promise.all(bakeOff.entrants.map((entrant) => rowOf(deps, session, bakeOff, entrant, options)))
      : await settledRows(deps, session, settledSeq, options)
  const status = settledSeq !== null ? "settled" : rows.every(isOver) ? "ready" : "running"
  const adopted = settledSeq === null ? null : (choice?.adopt ?? null)
  return { bake_off_id, title, created_at, verify, base_commit: bakeOff.baseCommit, status, adopted, rows }
}

/**
 * True if the entrant is finished. Entrants that haven't started count as finished: only old logs contain them, and
 * they will never start.
 */
function isOver({ status }: BakeOffRow): boolean {
  return ENDED.has(status)
}

const ENDED: ReadonlySet<BakeOffRow["status"]> = new Set(["completed", "failed", "cancelled", "not_started"])

async function rowOf(
  deps: ReadBakeOffDeps,
  session: OwnedSession,
  { attempts, verify }: BakeOffState,
  entrant: Entrant,
  options: { signal: AbortSignal },
): Promise<BakeOffRow> {
  const { sid, sessionId: session_id, owner, state } = session
  const { run_id, worktree } = entrant
  const [found, report] = await Promise.all([
    findRun(deps.records, { sid, state }, run_id, options),
    readWorktree(deps, session, { worktree, ...options }),
  ])
  const usage = state.usage.runs[run_id]
  const ref = { run_id, owner, sid, session_id, created_at: 0 }
  const run = found && (await describeRun(deps, { ref, run: found, usage }, options))
  const { cost_usd, cost_is_complete, tokens } = totalOfRows(usage?.rows ?? [])
  const { files_changed = 0, insertions = 0, deletions = 0 } = report?.diff ?? {}
  return {
    ...entrant,
    ...outcomeOf(run, verify),
    attempts: attempts[run_id] ?? 0,
    duration_ms: run?.duration_ms ?? null,
    ...{ cost_usd, cost_is_complete, tokens: totalOf(tokens) },
    diff: report?.diff ? { files_changed, insertions, deletions } : null,
  }
}

/** Returns an entrant's outcome. If the bake-off has no verification, completed work counts as passed. */
function outcomeOf(
  run: Run | undefined,
  verify: boolean,
): Pick<BakeOffRow, "status" | "passed" | "verdict" | "reason"> {
  if (!run) return { status: "not_started", passed: false, verdict: null, reason: "It was never started." }
  const { status, warning, error } = run
  const verdict = run.verdict?.status ?? null
  const reason = error?.message ?? warning ?? null
  if (!isOver({ status } as BakeOffRow)) return { status, passed: null, verdict, reason }
  return { status, passed: status === "completed" && (!verify || verdict === "passed"), verdict, reason }
}

async function settledRows(
  { log }: ReadBakeOffDeps,
  { sid }: OwnedSession,
  seq: number,
  options: { signal: AbortSignal },
): Promise<BakeOffRow[]> {
  for await (const event of log.read(logName(sid), seq - 1, options)) {
    return event.type === "bake_off_settled" ? event.rows : []
  }
  return []
}
