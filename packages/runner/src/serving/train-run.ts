import { AppError, isAppError } from "@switchyard/core/errors"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "@switchyard/core/kernel/session-log"
import { hydrateEvent } from "@switchyard/core/log/payload"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Verdict } from "@switchyard/core/work/gate/schema"
import { describeVerdict } from "@switchyard/core/work/gate/verdict"
import { type RunContext, RunParked, type RunWork } from "@switchyard/core/work/runs/run-context"
import { runOf } from "@switchyard/core/work/runs/state"
import { refusedStep, stepOfMerge } from "@switchyard/core/work/trains/merge-step"
import { goesOn, type TrainInput, TrainStep } from "@switchyard/core/work/trains/schema"
import { checkCommit } from "../gate/check-commit.ts"
import type { WorkdirDeps } from "../gate/workdir.ts"
import { findTools, locateWorktree } from "../project/worktree-location.ts"
import { askForMerge, type Stop, stepFinishedWith } from "./train-merge.ts"
import type { WorktreeServices } from "./worktree-services.ts"

export interface TrainDeps extends SessionLogDeps, WorkdirDeps {
  blobs: Blobs
  worktrees: Pick<WorktreeServices, "of">
}

type TrainContext = RunContext<TrainInput>

/**
 * Returns the function that carries out a merge queue. It requests the merges one after another as ordinary commands
 * and, if requested, checks the branch after each merge. The merges' IDs are derived from the queue's ID, so a later
 * executor never requests a merge twice.
 */
export function createTrainRun(deps: TrainDeps): RunWork<TrainInput> {
  return async (context) => {
    const { input, signal } = context
    // Generation of this executor. A later executor has a higher one.
    const generation = runOf(context.state(), context.runId)?.generation ?? 0
    const session = await openSessionLog(deps, context.sid, { signal })
    const done = await finishedSteps(context)
    for (const [index, worktree] of input.worktrees.entries()) {
      const step = done.get(index) ?? (await finishStep(deps, context, session, { index, worktree, generation }))
      signal.throwIfAborted()
      if (step.verdict) context.conclude(step.verdict)
      if (!goesOn(step)) throw new AppError("merge_stopped", `The merge queue stopped at ${worktree}: ${step.message}`)
    }
  }
}

async function finishedSteps(context: TrainContext): Promise<Map<number, TrainStep>> {
  const done = new Map<number, TrainStep>()
  for await (const event of context.history()) {
    if (event.type === "merge_train_step_finished") done.set(event.index, TrainStep.parse(event))
  }
  return done
}

async function finishStep(deps: TrainDeps, context: TrainContext, session: SessionLog, stop: Stop): Promise<TrainStep> {
  const tools = context.input.checks ? await toolsFor(deps, context, stop) : undefined
  const { step: merged, isTold } = await merge(deps, context, session, stop)
  if (isTold) return merged
  const isChecked = context.input.checks && merged.status === "merged"
  const step = isChecked ? await check({ ...deps, tools }, context, merged) : merged
  // Record this even after a cancellation, because the merge remains in effect.
  await context.record([{ type: "merge_train_step_finished", run_id: context.runId, agent_id: "", ...step }])
  return step
}

/** Returns the tools for the check. They are installed before the merge, so that nothing is merged if that fails. */
async function toolsFor(deps: TrainDeps, context: TrainContext, { worktree }: Stop): Promise<WorkdirDeps["tools"]> {
  const { sid, signal } = context
  const { project } = deps.worktrees.of(worktree)
  return context.awaitExternal(() => findTools(project, { sid, state: context.state() }, { signal }))
}

/** Maximum number of attempts at a merge. A merge is attempted again if its runner dies. */
const ATTEMPTS = 3

/** Time limit for reading a result. Applies even after the merge queue was cancelled. */
const READ_WITHIN_MS = 10_000

/** Merges a worktree, or returns the result of a merge that an earlier executor requested. */
async function merge(
  deps: TrainDeps,
  context: TrainContext,
  session: SessionLog,
  stop: Stop,
): Promise<{ step: TrainStep; isTold?: boolean }> {
  const { waits_for_agents } = context.input
  for (let attempt = 1; ; attempt++) {
    const end = await askForMerge(deps, context, session, { ...stop, attempt })
    if (end instanceof AppError) {
      const { run_id } = end.details
      const waits = waits_for_agents && end.code === "worktree_busy" && typeof run_id === "string"
      if (waits) throw new RunParked(`an agent is working in ${stop.worktree}`, { run: run_id })
      return { step: refusedStep(stop, end.message) }
    }
    if (end.type === "worktree_command_expired") {
      return { step: refusedStep(stop, "No runner started it in time.") }
    }
    const signal = AbortSignal.timeout(READ_WITHIN_MS)
    const told = await stepFinishedWith(deps, session, end, { signal })
    if (told) return { step: told, isTold: true }
    // The log doesn't show whether the merge happened. If it did, the next attempt finds nothing to merge.
    if (end.error?.code === "command_interrupted" && attempt < ATTEMPTS) continue
    // An agent started between the request and the merge. The next request waits for that agent.
    if (end.error?.code === "worktree_busy" && waits_for_agents) continue
    return { step: stepOfMerge(stop, await hydrateEvent(deps.blobs, end, { signal })) }
  }
}

/** Checks the branch after a merge. If the check can't run, reports the reason and continues with the queue. */
async function check(deps: TrainDeps, context: TrainContext, step: TrainStep): Promise<TrainStep> {
  if (step.commit === null) return step
  const state = context.state()
  const { repository } = state.session
  const { where } = locateWorktree(deps.worktrees.of(step.worktree).project, { sid: context.sid, repository, state })
  const { commands } = context.input
  const about = { git: where.git, repository: where.repository, commit: step.commit, commands }
  const verdict = await checkUnlessCancelled(deps, context, about)
  if (verdict === null) return step
  if (verdict.status !== "failed") return { ...step, verdict }
  return { ...step, status: "check_failed", message: describeVerdict(verdict), verdict }
}

/** Checks the branch. Returns null if the check was cancelled. */
async function checkUnlessCancelled(
  deps: TrainDeps,
  context: TrainContext,
  about: Parameters<typeof checkCommit>[2],
): Promise<Verdict | null> {
  try {
    return await checkCommit(deps, context, about)
  } catch (error) {
    if (isAppError(context.signal.reason, "run_cancelled")) return null
    throw error
  }
}
