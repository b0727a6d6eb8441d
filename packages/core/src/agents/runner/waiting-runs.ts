import type { Rule } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { SessionState } from "../../state.ts"
import { formatCount } from "../../text/format.ts"
import { isForRunner } from "../../work/runs/kinds.ts"
import { activeRuns, type RunState } from "../../work/runs/state.ts"

/** Returns the session's runs that no runner has started yet. */
export function waitingRuns(state: SessionState): RunState[] {
  if (!isLive(state)) return []
  return activeRuns(state).filter((run) => isForRunner(run) && run.status === "queued")
}

/**
 * Reports that all runner slots are taken, and how many sessions are ahead of this one. Appends nothing for a run whose
 * newest report says the same, so that repeated launches of a waiting session don't make its log longer.
 */
export function reportQueued(before: number): Rule {
  const reason = `all runner slots are taken, with ${formatCount(before, "session")} ahead of this one`
  return (state) =>
    waitingRuns(state)
      .filter(({ waitingReason }) => waitingReason !== reason)
      .map(({ runId, agentId }) => ({
        ...{ type: "runner_awaited" as const, run_id: runId, agent_id: agentId },
        ...{ generation: state.runner.generation + 1, attempt: 1, phase: "waiting" as const, reason },
      }))
}
