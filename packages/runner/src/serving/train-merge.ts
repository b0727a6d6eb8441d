import { requestCommand } from "@switchyard/core/agents/runner/worktree-command-rules"
import { AppError, isAppError } from "@switchyard/core/errors"
import type { EventOf } from "@switchyard/core/events"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { Log } from "@switchyard/core/log/log"
import { appendAsExecutor } from "@switchyard/core/work/runs/rules"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { runOf } from "@switchyard/core/work/runs/state"
import { mergeCommandId, type TrainStop } from "@switchyard/core/work/trains/merge-step"
import { type TrainInput, TrainStep } from "@switchyard/core/work/trains/schema"

type TrainContext = RunContext<TrainInput>
type CommandEnd = EventOf<"worktree_command_finished"> | EventOf<"worktree_command_expired">

/** A merge in a merge queue, with its executor's claim. */
export interface Stop extends TrainStop {
  /** Generation of this executor. A later executor has a higher one. */
  generation: number
}

/** Maximum time that a cancelled merge queue waits for its current merge. */
const FINISH_WITHIN_MS = 25_000

/**
 * Requests a merge unless it was already requested. Returns how the merge ended, or an error if the request is refused.
 */
export async function askForMerge(
  deps: { log: Log },
  context: TrainContext,
  session: SessionLog,
  { index, worktree, generation, attempt }: Stop & { attempt: number },
): Promise<CommandEnd | AppError> {
  const { runId, input, signal } = context
  const commandId = mergeCommandId(runId, index, attempt)
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
    const begun = await endOfBegun(deps, context, session, commandId)
    if (begun) return begun
    throw error
  }
}

/**
 * Returns the step if it was appended together with the end of the merge, which happens when a merge queue is stopping.
 * Otherwise, returns undefined, and the executor appends the step.
 */
export async function stepFinishedWith(
  { log }: { log: Log },
  { sid }: SessionLog,
  { seq }: CommandEnd,
  options: { signal: AbortSignal },
): Promise<TrainStep | undefined> {
  for await (const event of log.read(logName(sid), seq, options)) {
    return event.type === "merge_train_step_finished" ? TrainStep.parse(event) : undefined
  }
  return undefined
}

/**
 * Waits for the current merge of a cancelled merge queue. Returns undefined if no merge was running or the merge takes
 * too long.
 */
async function endOfBegun(
  deps: { log: Log },
  context: TrainContext,
  session: SessionLog,
  commandId: string,
): Promise<CommandEnd | undefined> {
  if (!isAppError(context.signal.reason, "run_cancelled")) return undefined
  const patient = { ...context, signal: AbortSignal.timeout(FINISH_WITHIN_MS) }
  try {
    const { isAsked, ended } = await findCommand(deps, patient, session, commandId)
    if (!isAsked) return undefined
    const end = ended ?? (await commandEnd(deps, patient, session.state.head, commandId))
    return end.type === "worktree_command_finished" && end.error?.code === "run_cancelled" ? undefined : end
  } catch (error) {
    if (patient.signal.aborted) return undefined
    throw error
  }
}

type Rule = ReturnType<typeof requestCommand>

/**
 * Applies a rule only while this executor has the run, because an earlier executor doesn't know the command's later
 * events.
 */
function fenced(runId: string, generation: number, rule: Rule): Rule {
  return (state) => {
    const held = appendAsExecutor(runId, generation, [])(state)
    return held instanceof AppError ? held : rule(state)
  }
}

/** Finds a command's events, up to the head of the log. */
async function findCommand(
  { log }: { log: Log },
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
  { log }: { log: Log },
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
