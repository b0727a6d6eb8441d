import {
  type CommandEnd,
  finishCommand,
  interrupted,
  startCommand,
  type WorktreeRequest,
} from "@switchyard/core/agents/runner/worktree-command-rules"
import { AppError, isAppError } from "@switchyard/core/errors"
import type { EventOf, LogEvent } from "@switchyard/core/events"
import { WorktreeCommand, WorktreeQuestion } from "@switchyard/core/files/worktrees/command-schema"
import { ask, type CommandOptions, type Worktrees } from "@switchyard/core/files/worktrees/worktrees"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { readField } from "@switchyard/core/log/payload"
import { backoffMs } from "@switchyard/core/time"
import * as z from "zod"
import { completes } from "../git/merge/merge-commands.ts"
import { createCommandJournal } from "./command-journal.ts"
import type { ProjectDeps } from "./project-deps.ts"

export interface CommandExecutorDeps {
  project: ProjectDeps
  /** Opens the worktree for what is asked of it. */
  open: (request: WorktreeRequest, signal: AbortSignal) => Promise<Worktrees>
  perform: (command: WorktreeCommand, options: CommandOptions) => Promise<object>
  /** Finds out what came of a command that a runner had begun which is gone: undefined if it wasn't carried out. */
  recover: (command: WorktreeCommand, options: CommandOptions & { commandId: string }) => Promise<object | undefined>
  /** Does what follows from a command that was carried out, or failed: then there is no `done`. */
  conclude: (done: WorktreeCommand | undefined, signal: AbortSignal) => Promise<void>
  report: (error: unknown) => void
}

/** Carries out commands to a worktree, each once or never, and answers each, whatever fails. */
export interface CommandExecutor {
  /** Does the same with all commands that wait, in the order in which they were asked for. */
  executeWaiting(options: { signal: AbortSignal }): Promise<void>
  /**
   * Begins a command that nobody has begun, and finds out what came of one that another runner had begun. Throws only if
   * the signal aborts, or if another runner serves the session: then the answer is up to the next one.
   */
  execute(event: Requested, options: { signal: AbortSignal }): Promise<void>
}

const WHOLE_ATTEMPTS = 5

/** How often the worktree is looked at after a command that failed: what stopped the command may pass. */
const LOOK_ATTEMPTS = 5

const UNKNOWN = "Whether it was done all the same can't be found out: look at the worktree before you ask again."

type Failure = NonNullable<CommandEnd["error"]>
type Requested = EventOf<"worktree_command_requested">

/** The answer to a command from when it is earned, here and on the disk. */
interface Notes {
  made?: CommandEnd
  add(answer: object): Promise<CommandEnd>
  onMade: NonNullable<CommandOptions["onMade"]>
}

export function createCommandExecutor(
  deps: CommandExecutorDeps,
  session: SessionLog,
  generation: number,
): CommandExecutor {
  const { project, report } = deps
  const { clock, log } = project
  const journal = createCommandJournal(project.notes)

  async function execute(event: Requested, { signal }: { signal: AbortSignal }): Promise<void> {
    const { command_id: id } = event
    await persist(() => session.catchUp({ signal }), signal)
    const pending = pendingOf(id)
    if (!pending) return
    const isLeft = pending.started !== null
    if (!isLeft && !(await start(id, signal))) return
    const { end, request } = await endOf(event, isLeft, signal)
    await answer(id, pending.changes ? await concluded(end, request, signal) : end, signal)
  }

  async function executeWaiting({ signal }: { signal: AbortSignal }): Promise<void> {
    const waiting = Object.values(session.state.worktree.pending).sort((a, b) => a.seq - b.seq)
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

  /** Whether it was decided that this runner carries the command out. */
  async function start(id: string, signal: AbortSignal): Promise<boolean> {
    await persist(() => session.decide(startCommand(generation, id, clock.now()), { signal }), signal)
    return pendingOf(id)?.started?.generation === generation
  }

  function pendingOf(id: string) {
    const { pending } = session.state.worktree
    return Object.hasOwn(pending, id) ? pending[id] : undefined
  }

  async function endOf(
    { command_id: id, command }: Requested,
    isLeft: boolean,
    signal: AbortSignal,
  ): Promise<{ end: CommandEnd; request?: WorktreeRequest }> {
    let request: WorktreeRequest | undefined
    try {
      request = await readField(project.blobs, command, Request, { signal })
      if (!("command" in request))
        return { end: done(await ask(await deps.open(request, signal), request, { signal })) }
      return { end: await (isLeft ? recovered : begun)(id, request, signal), request }
    } catch (error) {
      stopIfOver(error, signal)
      if (!(error instanceof AppError)) report(error)
      return { end: { answer: null, error: errorOf(error) }, request }
    }
  }

  async function begun(commandId: string, command: WorktreeCommand, signal: AbortSignal): Promise<CommandEnd> {
    const notes = notesOf(commandId)
    try {
      return await notes.add(await deps.perform(command, { commandId, onMade: notes.onMade, signal }))
    } catch (error) {
      stopIfOver(error, signal)
      if (!notes.made && isRefusal(error)) throw error
      report(error)
      if (notes.made) return { ...notes.made, error: leftUndone(error) }
      const { end, trouble } = await whatStands(commandId, command, notes, signal)
      if (end) return lacksMerge(command, end) ? { ...end, error: leftUndone(error) } : end
      const failed = errorOf(error)
      return { answer: null, error: trouble ? { ...failed, message: `${failed.message} ${UNKNOWN}` } : failed }
    }
  }

  /** What came of a command that a runner had begun which is gone. Nothing of it is done again. */
  async function recovered(commandId: string, command: WorktreeCommand, signal: AbortSignal): Promise<CommandEnd> {
    const notes = notesOf(commandId, await journal.read(commandId))
    const { end, trouble } = await whatStands(commandId, command, notes, signal)
    return end ?? notDone(trouble ? errorOf(trouble).message : undefined)
  }

  /**
   * The answer that a command has earned which stopped in its middle, and neither that nor `trouble` if nothing came of it.
   * `trouble` is why it can't be found out.
   */
  async function whatStands(
    commandId: string,
    command: WorktreeCommand,
    notes: Notes,
    signal: AbortSignal,
  ): Promise<{ end?: CommandEnd; trouble?: unknown }> {
    // What is found half made may be another command's.
    const onMade: Notes["onMade"] = async (answer, of) => {
      if (of === commandId && !notes.made) await notes.add(answer)
    }
    let trouble: unknown
    for (let attempt = 0; attempt < LOOK_ATTEMPTS; attempt++) {
      try {
        const found = await deps.recover(command, { commandId, onMade, signal })
        return { end: notes.made ?? (found && (await notes.add(found))) }
      } catch (error) {
        stopIfOver(error, signal)
        report(error)
        trouble = error
        if (isRefusal(error)) break
        await clock.sleep(backoffMs(attempt, 50, 1000), { signal })
      }
    }
    return notes.made ? { end: notes.made } : { trouble }
  }

  function notesOf(commandId: string, noted?: CommandEnd): Notes {
    const add = async (answer: object) => {
      const made = done(answer)
      notes.made = made
      // It is done, be that on the disk or not: what can't be written must not undo it.
      await journal.write(commandId, made).catch(report)
      return made
    }
    const notes: Notes = { made: noted, add, onMade: async (answer) => void (await add(answer)) }
    return notes
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
      stopIfOver(error, signal)
      // A command that failed has said why, and mostly it is for the same reason.
      if (end.error) return end
      report(error)
      return { ...end, error: leftUndone(error) }
    }
  }

  /** Appends the answer, without its longest part if that can't be stored. */
  async function answer(id: string, end: CommandEnd, signal: AbortSignal): Promise<void> {
    const short = { ...end, answer: end.answer && { ...end.answer, conflicts: null } }
    await persist((attempt) => {
      return session.decide(finishCommand(generation, id, attempt < WHOLE_ATTEMPTS ? end : short), { signal })
    }, signal)
  }

  /** Tries until it succeeds, for a command must not be left without an answer while this runner serves the session. */
  async function persist(task: (attempt: number) => Promise<unknown>, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await task(attempt)
        return
      } catch (error) {
        stopIfOver(error, signal)
        report(error)
        await clock.sleep(backoffMs(attempt, 50, 10_000), { signal })
      }
    }
  }

  return { execute, executeWaiting }
}

const Request = z.union([WorktreeCommand, WorktreeQuestion])

/** Whether a command was turned down as things stand. Anything else may have struck when a part of it was done. */
function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code !== "git_error" && error.code !== "storage_unavailable"
}

/** Whether conflicts were resolved, and the merge that was to follow wasn't made. */
function lacksMerge(command: WorktreeCommand, { answer }: CommandEnd): boolean {
  return (
    command.command === "resolve" &&
    completes(command.resolution) &&
    answer !== null &&
    "status" in answer &&
    answer.status === "conflicts"
  )
}

function stopIfOver(error: unknown, signal: AbortSignal): void {
  signal.throwIfAborted()
  if (isAppError(error, "run_superseded")) throw error
}

function done(answer: object): CommandEnd {
  return { answer: JSON.parse(JSON.stringify(answer)), error: null }
}

function notDone(reason?: string): CommandEnd {
  return { answer: null, error: interrupted(reason) }
}

/** What could not be done after a command that was carried out. */
function leftUndone(error: unknown): Failure {
  const { code, message, details } = errorOf(error)
  return { code, message: `It was done, but not all that follows from it. ${message}`, details }
}

function errorOf(error: unknown): Failure {
  if (!(error instanceof AppError))
    return { code: "git_error", message: "The worktree could not be changed.", details: {} }
  const { code, message, details } = error
  return { code, message, details: JSON.parse(JSON.stringify(details)) }
}
