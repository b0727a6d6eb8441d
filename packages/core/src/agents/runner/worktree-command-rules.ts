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
import { asRunner } from "../terminals/rules.ts"

export type WorktreeRequest = WorktreeCommand | WorktreeQuery

/** With both, the command was carried out, and the error says what could not be done after it. */
export type CommandEnd = Pick<EventOf<"worktree_command_finished">, "answer" | "error">

/** A command that waits for longer is never carried out: by then, its sender doesn't count on it any more. */
export const START_COMMAND_WITHIN_MS = 120_000

/** Time for a successor to find out how far a dead runner got with a command. After that, nobody will. */
const RECOVER_WITHIN_MS = 10 * 60_000

/**
 * Asks for a command, for a person or for a run. Nothing may change a worktree while an agent works in it, but what that
 * agent's own run asks for.
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
      return new AppError("worktree_busy", "An agent is at work in this worktree.", { run_id: working.runId })
    }
    const about = { ...namedWorktree(worktree), command_id: commandId, command }
    return [{ type: "worktree_command_requested", ...about, ...(runId !== undefined && { asking_run: runId }) }]
  })
}

/**
 * Decides, before anything is touched, whether a runner carries a command out: `worktree_command_started` if so. A command
 * expires when it waited too long, and is refused when an agent's run was created after it was asked for, or the run that
 * asked was cancelled.
 */
export function startCommand(generation: number, commandId: string, now: number): Rule {
  return (state) => {
    const found = pendingOf(state, commandId)
    if (!found || found.command.started !== null) return []
    return asRunner(generation, [decideStart(state, found, { generation, now })])(state)
  }
}

/**
 * Answers a command, once, by the runner that serves the session. A merge train that was asked to stop, or has ended, doesn't
 * wait for the last of its merges, so what became of that is told with the answer.
 */
export function finishCommand(generation: number, commandId: string, end: CommandEnd): Rule {
  return (state) => {
    const found = pendingOf(state, commandId)
    return found ? asRunner(generation, finished(state, found, end))(state) : []
  }
}

/** Gives up on commands that no runner started in time. Anybody may say so: a start that comes later is refused. */
export function expireCommands(now: number): Rule {
  return (state) => pendingCommands(state).flatMap((found) => (isOverdue(found.command, now) ? [expired(found)] : []))
}

/** Gives up on one command that no runner has started: its sender no longer counts on it. */
export function withdrawCommand(commandId: string): Rule {
  return (state) => {
    const found = pendingOf(state, commandId)
    return found?.command.started === null ? [expired(found)] : []
  }
}

/** Answers commands that were started long ago by a runner that is gone; `gone` is its executor, or null if it parked. */
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

/** Answers all commands where no runner could be started; `dead` is one that is known to be gone. */
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

/** Whether a runner still has something to do for a command. */
export function awaitsRunner(state: Pick<SessionState, "worktrees">, now: number): boolean {
  return pendingCommands(state).some(({ command }) => !isOverdue(command, now))
}

/** The answer to a command whose runner died before it was done. */
export function interrupted(reason?: string): NonNullable<CommandEnd["error"]> {
  const message = "The runner stopped before this was done. Look at the worktree, and ask again if you still want it."
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
    const message = "The run that asked for this was cancelled before it began."
    return failed(found, { code: "run_cancelled", message, details: { run_id: command.askingRun } })
  }
  const { lastRun, exists, hasChanges } = worktreeOf(state, found.worktree)
  if (!command.changes || lastRun === null || lastRun.seq < command.seq) {
    return { type: "worktree_command_started", ...about(found), generation }
  }
  const worktree = { exists, has_changes: hasChanges }
  const details = { run_id: lastRun.runId, run_status: state.runs.byId[lastRun.runId]?.status ?? null, worktree }
  const message = "An agent began to work in this worktree after this was asked for."
  return failed(found, { code: "worktree_busy", message, details })
}

function wasCancelled(state: SessionState, runId: string | null): boolean {
  const run = runId === null ? undefined : runOf(state, runId)
  return run !== undefined && (run.cancelReason !== null || run.status === "cancelled")
}

/** A command without an answer, and the worktree that it is for. */
export interface FoundCommand {
  worktree: string
  commandId: string
  command: PendingCommand
}

/** All commands of a session that have no answer yet. */
export function pendingCommands({ worktrees }: Pick<SessionState, "worktrees">): FoundCommand[] {
  return Object.entries(worktrees.byName).flatMap(([worktree, { pending }]) =>
    Object.entries(pending).map(([commandId, command]) => ({ worktree, commandId, command })),
  )
}

/** An id may be any text that somebody sent. */
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

/** The step of a train that has no executor any more to tell it. What never began is no step. */
function untoldStep(state: SessionState, { command, commandId, worktree }: FoundCommand, end: CommandEnd): NewEvent[] {
  const run = command.askingRun === null ? undefined : runOf(state, command.askingRun)
  if (run?.kind !== "train" || command.started === null || (run.cancelReason === null && !isEnded(run))) return []
  const index = indexOfMerge(run.runId, commandId)
  if (index === undefined) return []
  const step = stepOfMerge({ index, worktree }, end)
  return [{ type: "merge_train_step_finished", run_id: run.runId, agent_id: run.agentId, ...step }]
}
