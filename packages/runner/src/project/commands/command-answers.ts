import { type CommandEnd, interrupted } from "@switchyard/core/agents/runner/worktree-command-rules"
import { AppError } from "@switchyard/core/errors"
import type { WorktreeCommand } from "@switchyard/core/files/worktrees/command-schema"
import { systemFaultIn } from "@switchyard/core/system-faults"
import { completes } from "../../git/merge/merge-commands.ts"

type Failure = NonNullable<CommandEnd["error"]>

const UNKNOWN = "The command may have taken effect anyway, so check the worktree before trying again."

/** State of a command that may have been interrupted. */
export interface Outcome {
  /** Result of the command. Undefined if the command had no effect. */
  end?: CommandEnd
  /** Error that occurred while looking for the result. */
  trouble?: unknown
}

export function succeeded(answer: object): CommandEnd {
  return { answer: JSON.parse(JSON.stringify(answer)), error: null }
}

export function failed(error: unknown): CommandEnd {
  return { answer: null, error: failureOf(error) }
}

/**
 * True if the error means that the command was refused in the current state. After any other error, the command may
 * have been carried out partly.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code !== "git_error" && error.code !== "storage_unavailable"
}

/** Returns the result of a command that succeeded but whose follow-up failed. */
export function incomplete(end: CommandEnd, error: unknown): CommandEnd {
  const { code, message, details } = failureOf(error)
  return { ...end, error: { code, message: `The command succeeded, but a later step failed. ${message}`, details } }
}

/** Returns the result of a command that failed in this runner. */
export function answerToFailed(command: WorktreeCommand, error: unknown, { end, trouble }: Outcome): CommandEnd {
  if (end) return lacksMerge(command, end) ? incomplete(end, error) : end
  const failure = failureOf(error)
  return { answer: null, error: trouble ? { ...failure, message: `${failure.message} ${UNKNOWN}` } : failure }
}

/** Returns the result of a command started by a lost runner. */
export function answerToInterrupted({ end, trouble }: Outcome): CommandEnd {
  return end ?? { answer: null, error: interrupted(trouble ? failureOf(trouble).message : undefined) }
}

/** True if a command resolved conflicts, but the merge that should have followed wasn't made. */
function lacksMerge(command: WorktreeCommand, { answer }: CommandEnd): boolean {
  return (
    command.command === "resolve" &&
    completes(command.resolution) &&
    answer !== null &&
    "status" in answer &&
    answer.status === "conflicts"
  )
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof AppError)) {
    const fault = systemFaultIn(error)
    const message = ["The worktree couldn't be changed.", fault?.message].filter(Boolean).join(" ")
    return { code: "git_error", message, details: fault ? { hint: fault.hint } : {} }
  }
  const { code, message, details } = error
  return { code, message, details: JSON.parse(JSON.stringify(details)) }
}
