import { AppError } from "../../errors.ts"
import type { EventOf, NewEvent } from "../../events.ts"
import type { WorktreeCommand, WorktreeQuery } from "../../files/worktrees/command-schema.ts"
import { MAIN_WORKTREE, namedWorktree } from "../../files/worktrees/names-schema.ts"
import { type PendingCommand, worktreeOf } from "../../files/worktrees/state.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { isEnded, runInWorktree, runOf } from "../../work/runs/state.ts"
import { indexOfMerge, stepOfMerge } from "../../work/trains/merge-step.ts"
import { appendAsRunner } from "../terminals/rules.ts"

export type WorktreeRequest = WorktreeCommand | WorktreeQuery

/**
 * Outcome of a command. If both fields are set, the command itself succeeded, and a later step failed with the error.
 */
export type CommandEnd = Pick<EventOf<"worktree_command_finished">, "answer" | "error">

/**
 * A command that has waited longer than this is never executed, because its sender has stopped waiting for the answer.
 */
export const START_COMMAND_WITHIN_MS = 120_000

/**
 * Maximum time for a runner to find out how much of a command its dead predecessor has executed. After that, the
 * command is abandoned.
 */
const RECOVER_WITHIN_MS = 10 * 60_000

/**
 * Requests a command on behalf of a person or a run. While an agent is working in the worktree, no other run may change
 * it.
 */
export function requestCommand(
  commandId: string,
  command: WorktreeRequest,
  worktree = MAIN_WORKTREE,
  { runId }: { runId?: string } = {},
): Rule {
  return inLiveSession((state) => {
    if (pendingOf(state, commandId)) return []
    const working = runInWorktree(state, worktree)
    if (working && working.runId !== runId && "command" in command) {
      return new AppError("worktree_busy", "An agent is working in this worktree.", { run_id: working.runId })
    }
    const about = { ...namedWorktree(worktree), command_id: commandId, command }
    return [{ type: "worktree_command_requested", ...about, ...(runId !== undefined && { asking_run: runId }) }]
  })
}

/**
 * Decides, before a runner changes anything, whether it may execute a command. If so, appends
 * `worktree_command_started`. A command that has waited too long expires. The command is refused if an agent's run was
 * created after it, or if the run that requested it was cancelled.
 */
export function startCommand(generation: number, commandId: string, now: number): Rule {
  return (state) => {
    const found = pendingOf(state, commandId)
    if (!found || found.command.started !== null) return []
    return appendAsRunner(generation, [decideStart(state, found, { generation, now })])(state)
  }
}

/**
 * Records the answer to a command, only once and on behalf of the session's current runner. A merge train that was
 * cancelled or has ended doesn't wait for its last merge, so this rule also reports that merge.
 */
export function finishCommand(generation: number, commandId: string, end: CommandEnd): Rule {
  return (state) => {
    const found = pendingOf(state, commandId)
    return found ? appendAsRunner(generation, finished(state, found, end))(state) : []
  }
}

/**
 * Expires commands that no runner started in time. Any process may do this, because a later attempt to start such a
 * command is refused.
 */
export function expireCommands(now: number): Rule {
  return (state) => pendingCommands(state).flatMap((found) => (isOverdue(found.command, now) ? [expired(found)] : []))
}

/** Withdraws a command that no runner has started. Its sender has stopped waiting for the answer. */
export function withdrawCommand(commandId: string): Rule {
  return (state) => {
    const found = pendingOf(state, commandId)
    return found?.command.started === null ? [expired(found)] : []
  }
}

/**
 * Answers commands that a runner started long ago and didn't finish. `gone` is that runner's executor, or null if the
 * runner has parked.
 */
export function interruptCommands(gone: string | null, now: number): Rule {
  return (state) => {
    if (state.runner.executor !== gone) return []
    return pendingCommands(state).flatMap((found) => {
      const { started } = found.command
      const abandoned = started !== null && now - Date.parse(started.at) > RECOVER_WITHIN_MS
      return abandoned ? finished(state, found, { answer: null, error: interrupted() }) : []
    })
  }
}

/**
 * Answers all commands with an error, because no runner could be started. `dead` is an executor that is known to be
 * gone.
 */
export function failCommands(reason: string, dead: string | null): Rule {
  return (state) => {
    if (state.runner.executor !== null && state.runner.executor !== dead) return []
    const notBegun = { code: "git_error", message: `No runner could be started: ${reason}`, details: {} }
    return pendingCommands(state).flatMap((found) => {
      const error = found.command.started === null ? notBegun : interrupted(reason)
      return finished(state, found, { answer: null, error })
    })
  }
}

/** True if a command still has to be executed by a runner. */
export function awaitsRunner(state: Pick<SessionState, "worktrees">, now: number): boolean {
  return pendingCommands(state).some(({ command }) => !isOverdue(command, now))
}

/** Returns the error for a command whose runner died before finishing it. */
export function interrupted(reason?: string): NonNullable<CommandEnd["error"]> {
  const message =
    "The runner stopped before this was finished. Check the worktree, and repeat the request if necessary."
  return { code: "command_interrupted", message, details: reason === undefined ? {} : { reason } }
}

function decideStart(
  state: SessionState,
  found: FoundCommand,
  { generation, now }: { generation: number; now: number },
): NewEvent {
  const { command } = found
  if (isOverdue(command, now)) return expired(found)
  if (wasCancelled(state, command.askingRun)) {
    const message = "The run that requested this was cancelled before it started."
    return failed(found, { code: "run_cancelled", message, details: { run_id: command.askingRun } })
  }
  const { lastRun, exists, hasChanges } = worktreeOf(state, found.worktree)
  if (!command.changes || lastRun === null || lastRun.seq < command.seq) {
    return { type: "worktree_command_started", ...about(found), generation }
  }
  const worktree = { exists, has_changes: hasChanges }
  const details = { run_id: lastRun.runId, run_status: state.runs.byId[lastRun.runId]?.status ?? null, worktree }
  const message = "An agent started working in this worktree after this was requested."
  return failed(found, { code: "worktree_busy", message, details })
}

function wasCancelled(state: SessionState, runId: string | null): boolean {
  const run = runId === null ? undefined : runOf(state, runId)
  return run !== undefined && (run.cancelReason !== null || run.status === "cancelled")
}

/** An unanswered command, and its worktree. */
export interface FoundCommand {
  worktree: string
  commandId: string
  command: PendingCommand
}

/** Returns all unanswered commands of a session. */
export function pendingCommands({ worktrees }: Pick<SessionState, "worktrees">): FoundCommand[] {
  return Object.entries(worktrees.byName).flatMap(([worktree, { pending }]) =>
    Object.entries(pending).map(([commandId, command]) => ({ worktree, commandId, command })),
  )
}

/** Returns the unanswered command with this ID. The ID may be any text from a client. */
function pendingOf(state: Pick<SessionState, "worktrees">, commandId: string): FoundCommand | undefined {
  return pendingCommands(state).find((found) => found.commandId === commandId)
}

function isOverdue({ started, askedAt }: PendingCommand, now: number): boolean {
  return started === null && now - Date.parse(askedAt) >= START_COMMAND_WITHIN_MS
}

function about({ worktree, commandId }: FoundCommand): { worktree?: string; command_id: string } {
  return { ...namedWorktree(worktree), command_id: commandId }
}

function expired(found: FoundCommand): NewEvent {
  return { type: "worktree_command_expired", ...about(found) }
}

function failed(found: FoundCommand, error: NonNullable<CommandEnd["error"]>): NewEvent {
  return { type: "worktree_command_finished", ...about(found), answer: null, error }
}

function finished(state: SessionState, found: FoundCommand, end: CommandEnd): NewEvent[] {
  return [{ type: "worktree_command_finished", ...about(found), ...end }, ...untoldStep(state, found, end)]
}

/**
 * Reports a step of a merge train if the train's executor can no longer report it. A command that never started isn't a
 * step.
 */
function untoldStep(state: SessionState, { command, commandId, worktree }: FoundCommand, end: CommandEnd): NewEvent[] {
  const run = command.askingRun === null ? undefined : runOf(state, command.askingRun)
  if (run?.kind !== "train" || command.started === null || (run.cancelReason === null && !isEnded(run))) return []
  const index = indexOfMerge(run.runId, commandId)
  if (index === undefined) return []
  const step = stepOfMerge({ index, worktree }, end)
  return [{ type: "merge_train_step_finished", run_id: run.runId, agent_id: run.agentId, ...step }]
}
