import { createLooseEnds, type LooseEndsDeps } from "@switchyard/core/agents/runner/loose-ends"
import { failCommands, pendingCommands } from "@switchyard/core/agents/runner/worktree-command-rules"
import type { NewEvent } from "@switchyard/core/events"
import { abandonSaving, awaitsSaving } from "@switchyard/core/files/worktrees/saving"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { isLive } from "@switchyard/core/kernel/state"
import type { SessionState } from "@switchyard/core/state"
import { decideEnd } from "@switchyard/core/work/runs/decide-end"
import { isForRunner } from "@switchyard/core/work/runs/kinds"
import type { Launch } from "@switchyard/core/work/runs/launcher"
import { failLaunch } from "@switchyard/core/work/runs/rules"
import { runOf } from "@switchyard/core/work/runs/state"

/** Why a session needs a runner. */
export interface LaunchGoal {
  /** Run to launch. Absent if the runner serves only the session. */
  runId?: string
  /** Returns true until a runner has met the goal. Disregards the executor `dead`, which is known to have died. */
  isOpen(state: SessionState, dead: string | null): boolean
  /** Appends the failure if no runner can meet the goal. */
  giveUp(
    session: SessionLog,
    why: { reason: string; dead: string | null },
    options: { signal: AbortSignal },
  ): Promise<unknown>
}

/** Creates a goal that is met once a runner has claimed the run. */
export function runClaimed(
  deps: LooseEndsDeps,
  { runId, expectedGeneration }: Pick<Launch, "runId" | "expectedGeneration">,
): LaunchGoal {
  return {
    runId,
    isOpen(state) {
      const run = runOf(state, runId)
      return isLive(state) && run?.status === "queued" && run.generation === expectedGeneration
    },
    async giveUp(session, { reason }, options) {
      const run = runOf(session.state, runId)
      if (!run) return
      // Also end what an earlier runner left open: it may have started the run before it was lost.
      const rule = (ends: NewEvent[]) => failLaunch(run, expectedGeneration, { reason, now: deps.clock.now(), ends })
      await decideEnd(createLooseEnds(deps), session, run, rule, options)
    },
  }
}

/** Goal for a session whose worktree has pending work. It is met once a runner serves the session. */
export const sessionServed: LaunchGoal = {
  isOpen: (state, dead) => awaitsService(state) && (state.runner.executor === null || state.runner.executor === dead),
  async giveUp(session, { reason, dead }, options) {
    await session.decide(failCommands(reason, dead), options)
    await session.decide(abandonSaving(dead), options)
  },
}

/** Returns true if the session has work for a runner. */
export function needsRunner(state: SessionState): boolean {
  const queued = Object.values(state.runs.byId).some((run) => isForRunner(run) && run.status === "queued")
  return isLive(state) && (queued || awaitsService(state))
}

function awaitsService(state: SessionState): boolean {
  return pendingCommands(state).length > 0 || awaitsSaving(state)
}
