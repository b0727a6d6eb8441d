import { readWorktree } from "../files/worktrees/latest.ts"
import { logName } from "../kernel/keys.ts"
import type { SessionHandle } from "../kernel/session-handle.ts"
import type { Log } from "../log/log.ts"
import type { SessionState } from "../state.ts"
import type { Blobs } from "../storage/blobs.ts"
import { isTask } from "../work/runs/kinds.ts"
import type { RunState } from "../work/runs/state.ts"
import { isEnded } from "../work/runs/state.ts"
import { evidenceStatus, type GatheredEvidence, gather, noEvidenceGathered } from "../work/verification/evidence.ts"
import type { WorkEvidence } from "../work/verification/evidence-schema.ts"

interface EvidenceDeps {
  log: Log
  blobs: Blobs
}

/**
 * Reads the evidence for the work in a worktree. The evidence comes from the last verified task, and shows whether it
 * still applies to the current work.
 */
export async function readWorkEvidence(
  deps: EvidenceDeps,
  session: SessionHandle,
  { worktree, ...options }: { worktree: string; signal: AbortSignal },
): Promise<WorkEvidence> {
  const report = await readWorktree(deps, session, { worktree, ...options })
  const run = verifiedRun(session.state, worktree)
  const gathered = run ? await gatherRun(deps, session.sid, run, options) : noEvidenceGathered
  const { planned, attempts, checks, reviewing } = gathered
  return {
    worktree,
    ...(run ? evidenceStatus(withNewer(session.state, run, gathered), report?.status) : UNVERIFIED),
    run_id: run?.runId ?? null,
    base_commit: planned?.base_commit ?? null,
    worktree_commit: report?.status.commit ?? null,
    max_attempts: planned?.max_attempts ?? null,
    reviewing,
    latest: attempts.at(-1) ?? null,
    checks,
    attempts,
  }
}

const UNVERIFIED = { state: "none" as const, reason: "No task has been verified in this worktree." }

function verifiedRun(state: SessionState, worktree: string): RunState | undefined {
  const verified = runsIn(state, worktree).filter(({ verification }) => verification !== null)
  return verified.sort((a, b) => b.firstSeq - a.firstSeq)[0]
}

function runsIn({ runs }: SessionState, worktree: string): RunState[] {
  return Object.values(runs.byId).filter((run) => isTask(run) && run.worktree === worktree)
}

/** Marks the evidence as outdated while a later task, not yet verified, is changing the work. */
function withNewer(state: SessionState, run: RunState, gathered: GatheredEvidence): GatheredEvidence {
  const isBusy = runsIn(state, run.worktree).some((other) => other.firstSeq > run.firstSeq && !isEnded(other))
  return isBusy ? { ...gathered, wentOn: true } : gathered
}

async function gatherRun(
  { log }: EvidenceDeps,
  sid: string,
  { runId, firstSeq, lastSeq }: RunState,
  options: { signal: AbortSignal },
): Promise<GatheredEvidence> {
  let gathered = noEvidenceGathered
  for await (const event of log.read(logName(sid), firstSeq - 1, options)) {
    if ("run_id" in event && event.run_id === runId) gathered = gather(gathered, event)
    if (event.seq === lastSeq) break
  }
  return gathered
}
