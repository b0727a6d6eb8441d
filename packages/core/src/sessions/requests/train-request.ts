import { AppError } from "../../errors.ts"
import { worktreeOf } from "../../files/worktrees/state.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import type { ProtectedOptions } from "../../protections.ts"
import { agentsUnavailable } from "../../work/runs/launcher.ts"
import type { NewRun } from "../../work/runs/run-starts.ts"
import type { RunState } from "../../work/runs/state.ts"
import { TRAIN_AGENT } from "../../work/trains/agent-schema.ts"
import { indexOfMerge } from "../../work/trains/merge-step.ts"
import { type NewTrain, TrainStep } from "../../work/trains/schema.ts"
import { type CheckRequestDeps, checkCommandsOf, requireChecks } from "./check-request.ts"

/**
 * Returns the run that merges a session's worktrees. Throws `worktree_not_found` if a worktree is missing. If checks of
 * the branch are requested, also throws the errors of `requireChecks`.
 */
export async function parseTrain(
  deps: CheckRequestDeps,
  { owner, session, train }: { owner: string; session: SessionHandle; train: NewTrain },
  options: ProtectedOptions,
): Promise<NewRun> {
  const { sid, sessionId, state } = session
  const { worktrees, target_branch, strategy, delete_worktrees, run_hooks, checks, consent } = train
  if (!deps.agents) throw agentsUnavailable()
  const missing = worktrees.find((name) => !worktreeOf(state, name).exists)
  if (missing !== undefined) {
    throw new AppError("worktree_not_found", "This session has no worktree with this name.", { worktree: missing })
  }
  if (checks) await requireChecks(deps, { owner, consent }, options)
  const merge = { target_branch, strategy, delete_worktree: delete_worktrees, run_hooks }
  const commands = await checkCommandsOf(deps, owner, state, options)
  const input = { worktrees, merge, checks, commands }
  return { owner, sid, sessionId, kind: "train", model: "none", agentId: TRAIN_AGENT, input }
}

/** Returns the steps of a train so far, including a merge that finished after the train had ended. */
export async function readTrainSteps(
  { log }: { log: Log },
  sid: string,
  { runId, firstSeq, lastSeq }: RunState,
  options: { signal: AbortSignal },
): Promise<TrainStep[]> {
  const steps: TrainStep[] = []
  const merging = new Set<string>()
  for await (const event of log.read(logName(sid), firstSeq - 1, options)) {
    if (event.type === "merge_train_step_finished" && event.run_id === runId) steps.push(TrainStep.parse(event))
    else if (lastSeq !== null && event.seq > lastSeq && merging.size === 0) break
    if (event.type === "worktree_command_finished") merging.delete(event.command_id)
    if (event.type !== "worktree_command_started") continue
    if (indexOfMerge(runId, event.command_id) !== undefined) merging.add(event.command_id)
  }
  return steps
}
