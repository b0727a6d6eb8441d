import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog, type Rule } from "../../kernel/session-log.ts"
import { START_WITHIN_MS } from "../../work/runs/launcher.ts"
import { createReconcile } from "../../work/runs/reconcile.ts"
import type { RunsDeps } from "../../work/runs/runs.ts"
import { wokenBy } from "../../work/runs/waking.ts"
import { createSettleTeam } from "./settle-team.ts"

/** Applies a rule to the session's team, and launches the runs that it wakes. Throws if the rule refuses. */
export type ChangeTeam = (
  session: Pick<SessionHandle, "sid" | "state">,
  rule: Rule,
  options: { signal: AbortSignal },
) => Promise<void>

export function createChangeTeam(deps: RunsDeps): ChangeTeam {
  const reconcile = createReconcile(deps)
  const settleTeam = createSettleTeam(deps)
  return async ({ sid, state }, rule, options) => {
    const session = await openSessionLog(deps, sid, options)
    const teamRun = state.team?.runId ?? ""
    // Add the hint first, so that the sweep launches the coordinator even if this process ends right after the
    // decision.
    const hint = { kind: "run" as const, sid, run_id: teamRun }
    if (state.team) await deps.due.add(hint, deps.clock.now() + START_WITHIN_MS, options)
    const decided = await session.decide(rule, options)
    for (const runId of wokenBy(decided)) await reconcile(session, runId, options)
    // Also deliver messages that were sent to a program while the team was halted.
    if (decided.some(({ type }) => type === "agent_message_queued" || type === "team_resumed"))
      await deps.afterRun?.(session, teamRun, options)
    await settleTeam(session, teamRun, options)
  }
}
