import { inLiveSession } from "../../kernel/rules.ts"
import { openSessionLog } from "../../kernel/session-log.ts"
import type { ProtectedOptions } from "../../protections.ts"
import { START_WITHIN_MS } from "../../work/runs/launcher.ts"
import { activeRuns } from "../../work/runs/state.ts"
import { wokenBy } from "../../work/runs/waking.ts"
import { setRunBudget, setSessionBudget } from "./rules.ts"
import type { WorkBudgetChange, WorkBudgetStatus } from "./schema.ts"
import { launchWoken, type WaitingRunsDeps } from "./waiting-runs.ts"
import { workBudgetStatus } from "./work-status.ts"

export interface WorkSubject {
  sid: string
  runId?: string
}

/** Changes the budget of a session or run, and launches the runs that were waiting for the change. */
export async function changeWorkBudget(
  deps: WaitingRunsDeps,
  { sid, runId }: WorkSubject,
  change: WorkBudgetChange,
  options: ProtectedOptions,
): Promise<WorkBudgetStatus> {
  const { due, clock } = deps
  const session = await openSessionLog(deps, sid, options)
  // Add the hints first, so that the sweep launches the woken runs even if this process dies right after appending the
  // event.
  for (const run of activeRuns(session.state).filter(({ waitsFor }) => waitsFor?.question !== undefined)) {
    await due.add({ kind: "run", sid, run_id: run.runId }, clock.now() + START_WITHIN_MS, options)
  }
  const rule = runId === undefined ? setSessionBudget(change, options) : setRunBudget(runId, change, options)
  const decided = await session.decide(inLiveSession(rule), options)
  for (const woken of wokenBy(decided)) await launchWoken(deps, session, { sid, runId: woken }, options)
  return workBudgetStatus(session.state, runId)
}
