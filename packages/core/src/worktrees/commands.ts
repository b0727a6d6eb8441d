import * as z from "zod"
import { AppError, type ErrorCode } from "../errors.ts"
import type { EventOf, NewEvent } from "../events.ts"
import { readField } from "../log/payload.ts"
import { createDueList } from "../runs/due.ts"
import { agentsUnavailable, type Launcher } from "../runs/launcher.ts"
import { START_WITHIN_MS } from "../runs/runs.ts"
import { logName } from "../sessions/keys.ts"
import type { FoundSession } from "../sessions/listing.ts"
import { inLiveSession } from "../sessions/rules.ts"
import { openSessionLog, type Rule, type SessionLogDeps } from "../sessions/session-log.ts"
import { activeRuns, type SessionState } from "../sessions/state.ts"
import type { Blobs } from "../storage/blobs.ts"
import { asRunner } from "../terminals/rules.ts"
import type { WorktreeQuestion } from "./questions.ts"
import type { WorktreeCommand } from "./worktrees.ts"

export type WorktreeRequest = WorktreeCommand | WorktreeQuestion

type Finished = EventOf<"worktree_command_finished">
export type CommandEnd = Pick<Finished, "answer" | "error">

/** Asks something of the session's worktree. Nothing may change it while an agent works there. */
export function requestCommand(commandId: string, command: WorktreeRequest): Rule {
  return inLiveSession((state) => {
    if (Object.hasOwn(state.worktree.pending, commandId)) return []
    const [working] = activeRuns(state).filter(({ kind }) => kind === "agent")
    if (working && "command" in command) {
      return new AppError("worktree_busy", "An agent is at work in this worktree.", {
        run_id: working.runId,
      })
    }
    return [{ type: "worktree_command_requested", command_id: commandId, command }]
  })
}

/** Says what came of it, once, and by the runner that serves the session. */
export function finishCommand(generation: number, commandId: string, end: CommandEnd, more: NewEvent[] = []): Rule {
  return (state: SessionState) => {
    if (!Object.hasOwn(state.worktree.pending, commandId)) return []
    return asRunner(generation, [...more, { type: "worktree_command_finished", command_id: commandId, ...end }])(state)
  }
}

/** Answers whoever still waits where no runner could be had; `dead` is one that is known to be gone. */
export function failCommands(reason: string, dead: string | null): Rule {
  return (state: SessionState) => {
    if (state.runner.executor !== null && state.runner.executor !== dead) return []
    const error = { code: "git_error", message: `No runner could be started: ${reason}`, details: {} }
    return Object.keys(state.worktree.pending).map((command_id) => {
      return { type: "worktree_command_finished", command_id, answer: null, error }
    })
  }
}

export interface CommandDeps extends SessionLogDeps {
  blobs: Blobs
  launcher: Launcher
}

/** What came of a command; undefined while nobody can tell. */
export type CommandResult = { commandId: string; answer: Record<string, unknown> | undefined }

/**
 * Has a runner do something with the session's worktree, and waits for it until `enough` aborts. What it could not do is
 * thrown as it was said there.
 */
export async function commandWorktree(
  deps: CommandDeps,
  { sid }: FoundSession,
  request: { commandId: string; command: WorktreeRequest },
  { signal, enough }: { signal: AbortSignal; enough: AbortSignal },
): Promise<CommandResult> {
  const { commandId, command } = request
  if (!deps.launcher.serve) throw agentsUnavailable()
  const session = await openSessionLog(deps, sid, { signal })
  const since = session.state.head
  await createDueList(deps.records).add({ kind: "worktree", sid }, deps.clock.now() + START_WITHIN_MS, { signal })
  await session.decide(requestCommand(commandId, command), { signal })
  await deps.launcher.serve(sid, { signal })
  return { commandId, answer: await answerTo(deps, sid, commandId, since, AbortSignal.any([signal, enough])) }
}

/** What came of a command that was given before; undefined while it is under way. Throws `not_found` for none. */
export async function findCommand(
  deps: Pick<CommandDeps, "log" | "blobs">,
  { sid, state }: FoundSession,
  commandId: string,
  { signal, enough }: { signal: AbortSignal; enough: AbortSignal },
): Promise<CommandResult> {
  const first = (state.since?.seq ?? 1) - 1
  let asked = state.worktree.pending[commandId]
  for await (const event of deps.log.read(logName(sid), first, { signal })) {
    if (asked !== undefined) break
    if (event.type === "worktree_command_requested" && event.command_id === commandId) asked = event.seq
  }
  if (asked === undefined) throw new AppError("not_found", "There is no such command in this session.")
  return { commandId, answer: await answerTo(deps, sid, commandId, asked, AbortSignal.any([signal, enough])) }
}

async function answerTo(
  { log, blobs }: Pick<CommandDeps, "log" | "blobs">,
  sid: string,
  commandId: string,
  since: number,
  signal: AbortSignal,
): Promise<Record<string, unknown> | undefined> {
  for await (const event of log.tail(logName(sid), since, { signal })) {
    if (event.type !== "worktree_command_finished" || event.command_id !== commandId) continue
    if (event.error) throw told(event.error)
    return readField(blobs, event.answer, Answer, {})
  }
  return undefined
}

const Answer = z.record(z.string(), z.unknown())

const CODES: ErrorCode[] = [
  ...([
    "worktree_not_found",
    "worktree_conflict",
    "worktree_busy",
    "worktree_damaged",
    "merge_blocked",
    "push_rejected",
  ] as const),
  ...(["repository_error", "validation_error", "not_found"] as const),
]

/** As it was said where the worktree is; a word that we don't know there is git's. */
function told({ code, message, details }: NonNullable<Finished["error"]>): AppError {
  return new AppError(CODES.find((known) => known === code) ?? "git_error", message, details)
}
