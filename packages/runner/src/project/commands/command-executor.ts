import {
  type CommandEnd,
  finishCommand,
  startCommand,
  type WorktreeRequest,
} from "@switchyard/core/agents/runner/worktree-command-rules"
import { backoffMs } from "@switchyard/core/concurrency/retry"
import { AppError } from "@switchyard/core/errors"
import type { EventOf, LogEvent } from "@switchyard/core/events"
import { WorktreeCommand, WorktreeQuery } from "@switchyard/core/files/worktrees/command-schema"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { readField } from "@switchyard/core/log/payload"
import * as z from "zod"
import type { ProjectDeps } from "../project-deps.ts"
import { failed, incomplete, succeeded } from "./command-answers.ts"
import { type AttemptDeps, createCommandAttempt, throwIfOver } from "./command-attempt.ts"
import { createCommandJournal } from "./command-journal.ts"

export interface CommandExecutorDeps extends Pick<AttemptDeps, "perform" | "recover" | "report"> {
  project: ProjectDeps
  query: (query: WorktreeQuery, signal: AbortSignal) => Promise<object>
  /** Runs the follow-up of a command. `done` is undefined if the command failed. */
  conclude: (done: WorktreeCommand | undefined, signal: AbortSignal) => Promise<void>
}

/** Runs each worktree command at most once, and appends an answer for each, even after failures. */
export interface CommandExecutor {
  /** Runs all waiting commands in the order of their requests. */
  executeWaiting(options: { signal: AbortSignal }): Promise<void>
  /**
   * Runs a command that hasn't been started, or finds the result of another runner's attempt. Throws only if the signal
   * aborts, or if another runner has taken over the session. In the latter case, that runner answers the command.
   */
  execute(event: Requested, options: { signal: AbortSignal }): Promise<void>
}

/** Number of attempts to append the full answer. After that, the longest part of the answer is omitted. */
const WHOLE_ATTEMPTS = 5

type Requested = EventOf<"worktree_command_requested">
const Request = z.union([WorktreeCommand, WorktreeQuery])

export function createCommandExecutor(
  deps: CommandExecutorDeps,
  session: SessionLog,
  generation: number,
): CommandExecutor {
  const { project, report } = deps
  const { clock, log } = project
  const journal = createCommandJournal(project.notes, project.worktree)

  async function execute(event: Requested, { signal }: { signal: AbortSignal }): Promise<void> {
    const { command_id: id } = event
    await persist(() => session.catchUp({ signal }), signal)
    const pending = pendingOf(id)
    if (!pending) return
    const isInterrupted = pending.started !== null
    if (!isInterrupted && !(await start(id, signal))) return
    const { end, request } = await endOf(event, isInterrupted, signal)
    await answer(id, pending.changes ? await concluded(end, request, signal) : end, signal)
  }

  async function executeWaiting({ signal }: { signal: AbortSignal }): Promise<void> {
    const waiting = Object.values(worktreeOf(session.state, project.worktree).pending).sort((a, b) => a.seq - b.seq)
    for (const { seq } of waiting) {
      let asked: LogEvent | undefined
      await persist(async () => {
        for await (const event of log.read(logName(session.sid), seq - 1, { signal })) {
          asked = event
          break
        }
      }, signal)
      if (asked?.type === "worktree_command_requested") await execute(asked, { signal })
    }
  }

  /** Claims the command for this runner. Returns false if it can't be claimed. */
  async function start(id: string, signal: AbortSignal): Promise<boolean> {
    await persist(() => session.decide(startCommand(generation, id, clock.now()), { signal }), signal)
    return pendingOf(id)?.started?.generation === generation
  }

  function pendingOf(id: string) {
    const { pending } = worktreeOf(session.state, project.worktree)
    return Object.hasOwn(pending, id) ? pending[id] : undefined
  }

  async function endOf(
    { command_id: id, command }: Requested,
    isInterrupted: boolean,
    signal: AbortSignal,
  ): Promise<{ end: CommandEnd; request?: WorktreeRequest }> {
    let request: WorktreeRequest | undefined
    try {
      request = await readField(project.blobs, command, Request, { signal })
      if (!("command" in request)) return { end: succeeded(await deps.query(request, signal)) }
      const attempt = createCommandAttempt({ ...deps, clock, journal }, id, request)
      return { end: await (isInterrupted ? attempt.recover : attempt.run)({ signal }), request }
    } catch (error) {
      throwIfOver(error, signal)
      if (!(error instanceof AppError)) report(error)
      return { end: failed(error), request }
    }
  }

  async function concluded(
    end: CommandEnd,
    request: WorktreeRequest | undefined,
    signal: AbortSignal,
  ): Promise<CommandEnd> {
    try {
      const isDone = end.answer !== null && request !== undefined && "command" in request
      await deps.conclude(isDone ? request : undefined, signal)
      return end
    } catch (error) {
      throwIfOver(error, signal)
      // Return the command's own error, because the follow-up usually fails for the same reason.
      if (end.error) return end
      report(error)
      return incomplete(end, error)
    }
  }

  /** Appends the answer to a command. If the full answer can't be stored, omits its longest part. */
  async function answer(id: string, end: CommandEnd, signal: AbortSignal): Promise<void> {
    const short = { ...end, answer: end.answer && { ...end.answer, conflicts: null } }
    await persist((attempt) => {
      return session.decide(finishCommand(generation, id, attempt < WHOLE_ATTEMPTS ? end : short), { signal })
    }, signal)
  }

  /** Retries the task until it succeeds, because this runner must answer every command while it serves the session. */
  async function persist(task: (attempt: number) => Promise<unknown>, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await task(attempt)
        return
      } catch (error) {
        throwIfOver(error, signal)
        report(error)
        await clock.sleep(backoffMs(attempt, 50, 10_000), { signal })
      }
    }
  }

  return { execute, executeWaiting }
}
