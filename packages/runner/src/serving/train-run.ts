import { requestCommand } from "@switchyard/core/agents/runner/worktree-command-rules"
import { AppError, isAppError } from "@switchyard/core/errors"
import type { EventOf } from "@switchyard/core/events"
import { MergeResult } from "@switchyard/core/files/worktrees/merge-schema"
import { logName } from "@switchyard/core/kernel/keys"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "@switchyard/core/kernel/session-log"
import { readField } from "@switchyard/core/log/payload"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { describeVerdict } from "@switchyard/core/work/gate/verdict"
import { asExecutor } from "@switchyard/core/work/runs/rules"
import type { RunContext, RunWork } from "@switchyard/core/work/runs/run-context"
import { runOf } from "@switchyard/core/work/runs/state"
import { goesOn, type TrainInput, TrainStep } from "@switchyard/core/work/trains/schema"
import * as z from "zod"
import { checkCommit } from "../gate/check-commit.ts"
import type { PlaceDeps } from "../gate/place.ts"
import { locateWorktree } from "../project/worktree-location.ts"
import type { WorktreeServices } from "./worktree-services.ts"

export interface TrainDeps extends SessionLogDeps, PlaceDeps {
  blobs: Blobs
  worktrees: Pick<WorktreeServices, "of">
}

type TrainContext = RunContext<TrainInput>
type CommandEnd = EventOf<"worktree_command_finished"> | EventOf<"worktree_command_expired">

/**
 * The work of a merge train: merges one worktree after the other by the commands that people give, and checks the branch after
 * each where that is wanted. Each merge has an id of the train's, so whoever goes on with it never asks for one twice.
 */
export function createTrainRun(deps: TrainDeps): RunWork<TrainInput> {
  return async (context) => {
    const { input, signal } = context
    // This executor's, and no later one's.
    const generation = runOf(context.state(), context.runId)?.generation ?? 0
    const session = await openSessionLog(deps, context.sid, { signal })
    const done = await finishedSteps(context)
    for (const [index, worktree] of input.worktrees.entries()) {
      const step = done.get(index) ?? (await finishStep(deps, context, session, { index, worktree, generation }))
      if (step.verdict) context.conclude(step.verdict)
      if (!goesOn(step)) throw new AppError("worktree_conflict", `The train stopped at ${worktree}: ${step.message}`)
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

interface Stop {
  index: number
  worktree: string
  generation: number
}

async function finishStep(deps: TrainDeps, context: TrainContext, session: SessionLog, stop: Stop): Promise<TrainStep> {
  const { index, worktree } = stop
  const merged = { index, worktree, ...(await merge(deps, context, session, stop)), verdict: null }
  const step = context.input.checks && merged.status === "merged" ? await check(deps, context, merged) : merged
  await context.write([{ type: "merge_train_step_finished", run_id: context.runId, agent_id: "", ...step }])
  return step
}

type Merged = Pick<TrainStep, "status" | "message" | "target_branch" | "commit" | "conflicts">

/** The attempts at a merge of which nothing came because its runner died. */
const ATTEMPTS = 3

/** Merges a worktree, or finds out what became of the merge that an earlier executor has asked for. */
async function merge(deps: TrainDeps, context: TrainContext, session: SessionLog, stop: Stop): Promise<Merged> {
  const nothing = { target_branch: null, commit: null, conflicts: [] }
  for (let attempt = 1; ; attempt++) {
    const end = await askForMerge(deps, context, session, { ...stop, attempt })
    if (end instanceof AppError) return { ...nothing, status: "refused", message: end.message }
    if (end.type === "worktree_command_expired") {
      return { ...nothing, status: "refused", message: "No runner began with it in time." }
    }
    if (end.answer !== null) {
      const answer = await readField(deps.blobs, end.answer, z.record(z.string(), z.json()), context)
      return mergedOf(MergeResult.parse(answer))
    }
    // Nothing shows that it was made; and were it made all the same, there would be nothing to merge now.
    if (end.error?.code === "command_interrupted" && attempt < ATTEMPTS) continue
    return { ...nothing, status: "refused", message: end.error?.message ?? "It failed." }
  }
}

/** The end of a merge, which is asked for unless it was before; or why it can't be asked for. */
async function askForMerge(
  deps: TrainDeps,
  context: TrainContext,
  session: SessionLog,
  { index, worktree, generation, attempt }: Stop & { attempt: number },
): Promise<CommandEnd | AppError> {
  const { runId, input, signal } = context
  const commandId = `${runId}-${index}-${attempt}`
  const command = { command: "merge" as const, ...input.merge }
  const asked = fenced(runId, generation, requestCommand(commandId, command, worktree, { runId }))
  try {
    return await context.awaitExternal(async () => {
      const { isAsked, ended } = await findCommand(deps, context, session, commandId)
      if (ended) return ended
      const since = session.state.head
      if (!isAsked) await session.decide(asked, { signal })
      return commandEnd(deps, context, since, commandId)
    })
  } catch (error) {
    if (isAppError(error, "worktree_busy") || isAppError(error, "worktree_not_found")) return error
    throw error
  }
}

function mergedOf({ status, message, target_branch, commit, conflicts }: MergeResult): Merged {
  const files = (conflicts ?? []).filter(({ resolved }) => !resolved).map(({ file_path }) => file_path)
  if (status === "merged" || status === "nothing_to_merge" || status === "conflicts") {
    return { status, message, target_branch, commit, conflicts: files }
  }
  return { status: "refused", message, target_branch, commit, conflicts: files }
}

type Rule = ReturnType<typeof requestCommand>

/** A rule that holds only while this executor has the run: an older one doesn't know what has become of the command since. */
function fenced(runId: string, generation: number, rule: Rule): Rule {
  return (state) => {
    const held = asExecutor(runId, generation, [])(state)
    return held instanceof AppError ? held : rule(state)
  }
}

/** The events of a command up to the log's head. */
async function findCommand(
  { log }: TrainDeps,
  { runId, signal }: TrainContext,
  session: SessionLog,
  commandId: string,
): Promise<{ isAsked: boolean; ended?: CommandEnd }> {
  const { head } = await session.catchUp({ signal })
  const since = (runOf(session.state, runId)?.firstSeq ?? 1) - 1
  let isAsked = false
  if (since >= head) return { isAsked }
  for await (const event of log.read(logName(session.sid), since, { signal })) {
    if (event.seq > head) break
    if (event.type === "worktree_command_requested" && event.command_id === commandId) isAsked = true
    if (isEnd(event) && event.command_id === commandId) return { isAsked: true, ended: event }
  }
  return { isAsked }
}

async function commandEnd(
  { log }: TrainDeps,
  { sid, signal }: TrainContext,
  since: number,
  commandId: string,
): Promise<CommandEnd> {
  for await (const event of log.tail(logName(sid), since, { signal })) {
    if (event.type !== "heartbeat" && isEnd(event) && event.command_id === commandId) return event
  }
  throw signal.reason
}

function isEnd(event: { type: string }): event is CommandEnd {
  return event.type === "worktree_command_finished" || event.type === "worktree_command_expired"
}

/** Checks the branch as it is after a merge. What can't be checked doesn't stop the train, and says so. */
async function check(deps: TrainDeps, context: TrainContext, step: TrainStep): Promise<TrainStep> {
  if (step.commit === null) return step
  const state = context.state()
  const { repository } = state.session
  const { where } = locateWorktree(deps.worktrees.of(step.worktree).project, { sid: context.sid, repository, state })
  const { commands } = context.input
  const about = { git: where.git, repository: where.repository, commit: step.commit, commands }
  const verdict = await checkCommit(deps, context, about)
  if (verdict.status !== "failed") return { ...step, verdict }
  return { ...step, status: "check_failed", message: describeVerdict(verdict), verdict }
}
