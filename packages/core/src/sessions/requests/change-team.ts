import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog, type Rule, type SessionLog } from "../../kernel/session-log.ts"
import { isTask } from "../../work/runs/kinds.ts"
import { START_WITHIN_MS } from "../../work/runs/launcher.ts"
import { createReconcile } from "../../work/runs/reconcile.ts"
import { createRuns, type RunsDeps } from "../../work/runs/runs.ts"
import { isEnded, runOf } from "../../work/runs/state.ts"
import { wokenBy } from "../../work/runs/waking.ts"
import { nodesIn } from "../../work/teams/state.ts"

/** Decides something about the team of a session, and launches the runs that it wakes. Throws the rule's refusal. */
export type ChangeTeam = (
  session: Pick<SessionHandle, "sid" | "state">,
  rule: Rule,
  options: { signal: AbortSignal },
) => Promise<void>

export function createChangeTeam(deps: RunsDeps): ChangeTeam {
  const reconcile = createReconcile(deps)
  return async ({ sid, state }, rule, options) => {
    const session = await openSessionLog(deps, sid, options)
    const teamRun = state.team?.runId ?? ""
    // If this process ends right after the decision, the sweep launches the coordinator.
    const hint = { kind: "run" as const, sid, run_id: teamRun }
    if (state.team) await deps.due.add(hint, deps.clock.now() + START_WITHIN_MS, options)
    const decided = await session.decide(rule, options)
    for (const runId of wokenBy(decided)) await reconcile(session, runId, options)
    if (decided.some(({ type }) => type === "agent_message_queued")) await deps.afterRun?.(session, teamRun, options)
    if (session.state.team?.halted === "stopped") await stopPrograms(deps, session, options)
  }
}

/** Interrupts the programs that wait for something, too: they don't ask whether their team was stopped before they go on. */
async function stopPrograms(deps: RunsDeps, { state }: SessionLog, options: { signal: AbortSignal }): Promise<void> {
  const { team } = state
  if (!team) return
  const runs = nodesIn(team, "running").flatMap((node) => runOf(state, node.runs.at(-1)?.runId ?? "") ?? [])
  for (const { runId } of runs.filter((run) => isTask(run) && !isEnded(run) && run.cancelReason === null)) {
    const ref = await deps.index.get(runId, options)
    if (ref) await createRuns(deps).cancel(ref.owner, runId, "The team was stopped.", options)
  }
}
