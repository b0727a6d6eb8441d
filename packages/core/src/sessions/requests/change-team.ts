import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog, type Rule, type SessionLogDeps } from "../../kernel/session-log.ts"
import { START_WITHIN_MS } from "../../work/runs/launcher.ts"
import { createReconcile, type ReconcileDeps } from "../../work/runs/reconcile.ts"
import { wokenBy } from "../../work/runs/waking.ts"

/** Decides something about the team of a session, and launches the runs that it wakes. Throws the rule's refusal. */
export type ChangeTeam = (
  session: Pick<SessionHandle, "sid" | "state">,
  rule: Rule,
  options: { signal: AbortSignal },
) => Promise<void>

export function createChangeTeam(deps: SessionLogDeps & ReconcileDeps): ChangeTeam {
  const reconcile = createReconcile(deps)
  return async ({ sid, state }, rule, options) => {
    const session = await openSessionLog(deps, sid, options)
    // If this process ends right after the decision, the sweep launches the coordinator.
    const hint = { kind: "run" as const, sid, run_id: state.team?.runId ?? "" }
    if (state.team) await deps.due.add(hint, deps.clock.now() + START_WITHIN_MS, options)
    for (const runId of wokenBy(await session.decide(rule, options))) await reconcile(session, runId, options)
  }
}
