import * as z from "zod"
import { AppError, type ErrorCode } from "../../errors.ts"
import type { EventOf } from "../../events.ts"
import { MergeResult } from "../../files/worktrees/merge-schema.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import { createDueList } from "../../kernel/due.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog, type Rule, type SessionLogDeps } from "../../kernel/session-log.ts"
import { readField } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { WorktreePort } from "../../work/chat/files/worktree-port.ts"
import { usesWorktree } from "../../work/runs/kinds.ts"
import { agentsUnavailable, type Launcher, START_WITHIN_MS } from "../../work/runs/launcher.ts"
import { expireCommands, pendingCommands, requestCommand, type WorktreeRequest } from "./worktree-command-rules.ts"

type Finished = EventOf<"worktree_command_finished">

export interface CommandDeps extends SessionLogDeps {
  blobs: Blobs
  launcher: Pick<Launcher, "serve">
}

/** Result of a command. `answer` is undefined while the answer isn't known. */
export type CommandResult = { commandId: string; answer: Record<string, unknown> | undefined }

/**
 * Sends a command to the session's worktree, and waits for the answer until `enough` aborts. If the command fails,
 * throws the error reported by the runner.
 */
export async function commandWorktree(
  deps: CommandDeps,
  { sid }: Pick<SessionHandle, "sid">,
  request: { commandId: string; command: WorktreeRequest; worktree?: string; alongside?: Rule },
  { signal, enough }: { signal: AbortSignal; enough: AbortSignal },
): Promise<CommandResult> {
  const { commandId, command, worktree, alongside } = request
  if (!deps.launcher.serve) throw agentsUnavailable()
  const session = await openSessionLog(deps, sid, { signal })
  const since = session.state.head
  await createDueList(deps.records).add({ kind: "worktree", sid }, deps.clock.now() + START_WITHIN_MS, { signal })
  await session.decide(withEventsOf(alongside, requestCommand(commandId, command, worktree)), { signal })
  await deps.launcher.serve(sid, { signal })
  return { commandId, answer: await answerTo(deps, sid, commandId, since, AbortSignal.any([signal, enough])) }
}

/** Combines the events of both rules in one batch, or returns the first refusal. */
function withEventsOf(first: Rule | undefined, second: Rule): Rule {
  if (!first) return second
  return (state) => {
    const verdict = second(state)
    const others = verdict instanceof AppError ? verdict : first(state)
    return others instanceof AppError || verdict instanceof AppError ? others : [...others, ...verdict]
  }
}

/** Creates an interface for sending commands to worktrees, which hides the runners. */
export function createWorktreePort(deps: CommandDeps): WorktreePort {
  return {
    send: async (sid, request, options) => (await commandWorktree(deps, { sid }, request, options)).answer,
    find: async (session, commandId, options) => (await findCommand(deps, session, commandId, options)).answer,
  }
}

/**
 * Returns the result of an earlier command. The answer is undefined while the command is in progress. Expires the
 * command if it wasn't started in time. Throws `not_found` if the command doesn't exist.
 */
export async function findCommand(
  deps: Omit<CommandDeps, "launcher">,
  { sid, state }: Pick<SessionHandle, "sid" | "state">,
  commandId: string,
  { signal, enough }: { signal: AbortSignal; enough: AbortSignal },
): Promise<CommandResult> {
  const pending = pendingCommands(state).find((found) => found.commandId === commandId)
  if (pending) {
    const session = await openSessionLog(deps, sid, { signal })
    await session.decide(expireCommands(deps.clock.now()), { signal })
  }
  const asked = pending?.command.seq ?? (await requestOf(deps, { sid, state }, commandId, { signal }))
  if (asked === undefined) throw new AppError("not_found", "There is no such command in this session.")
  return { commandId, answer: await answerTo(deps, sid, commandId, asked, AbortSignal.any([signal, enough])) }
}

/** Returns the sequence number of the event that requested a command. Undefined if the command was never requested. */
export async function requestOf(
  { log }: Pick<CommandDeps, "log">,
  { sid, state }: Pick<SessionHandle, "sid" | "state">,
  commandId: string,
  options: { signal: AbortSignal },
): Promise<number | undefined> {
  for await (const event of log.read(logName(sid), (state.session.since?.seq ?? 1) - 1, options)) {
    if (event.type === "worktree_command_requested" && event.command_id === commandId) return event.seq
  }
  return undefined
}

/** Returns the answer to a command, or its other outcome, from the log. */
export async function commandEnd(
  { log, blobs }: Pick<CommandDeps, "log" | "blobs">,
  { sid, state }: Pick<SessionHandle, "sid" | "state">,
  commandId: string,
  options: { signal: AbortSignal },
): Promise<"pending" | "failed" | Record<string, unknown>> {
  for await (const event of log.read(logName(sid), (state.session.since?.seq ?? 1) - 1, options)) {
    if (!("command_id" in event) || event.command_id !== commandId) continue
    if (event.type === "worktree_command_expired") return "failed"
    if (event.type !== "worktree_command_finished") continue
    return event.answer === null ? "failed" : readField(blobs, event.answer, Answer, {})
  }
  return "pending"
}

/**
 * Returns the result of the merge that deleted a worktree, if the worktree hasn't been used since. It answers a
 * repeated request if the runner that made the merge is gone, along with its notes.
 */
export async function mergeThatDeleted(
  { log, blobs }: Pick<CommandDeps, "log" | "blobs">,
  { sid, state }: Pick<SessionHandle, "sid" | "state">,
  { worktree, target_branch }: { worktree: string; target_branch?: string | undefined },
  options: { signal: AbortSignal },
): Promise<MergeResult | undefined> {
  let last: MergeResult | undefined
  for await (const event of log.read(logName(sid), (state.session.since?.seq ?? 1) - 1, options)) {
    const name = ("worktree" in event ? event.worktree : undefined) ?? MAIN_WORKTREE
    if (name !== worktree) continue
    if (event.type === "run_created" && usesWorktree(event)) last = undefined
    if (event.type !== "worktree_command_finished" || event.answer === null) continue
    const answer = await readField(blobs, event.answer, Answer, options)
    const merge = MergeResult.safeParse(answer).data
    if (merge || "created" in answer) last = merge?.worktree_deleted ? merge : undefined
  }
  const isSame = target_branch === undefined || target_branch === last?.target_branch
  return isSame ? last : undefined
}

async function answerTo(
  { log, blobs }: Pick<CommandDeps, "log" | "blobs">,
  sid: string,
  commandId: string,
  since: number,
  signal: AbortSignal,
): Promise<Record<string, unknown> | undefined> {
  for await (const event of log.tail(logName(sid), since, { signal })) {
    if (event.type === "session_deleted") throw new AppError("session_deleted", "This session was deleted.")
    if (!("command_id" in event) || event.command_id !== commandId) continue
    if (event.type === "worktree_command_expired") throw expired()
    if (event.type !== "worktree_command_finished") continue
    if (event.answer === null) throw toAppError(event.error)
    const answer = await readField(blobs, event.answer, Answer, {})
    return event.error ? { ...answer, warning: event.error.message } : answer
  }
  return undefined
}

const Answer = z.record(z.string(), z.unknown())

const CODES: ErrorCode[] = [
  ...(["worktree_not_found", "worktree_conflict", "worktree_busy", "worktree_damaged", "merge_blocked"] as const),
  ...([
    "commit_refused",
    "push_rejected",
    "repository_error",
    "host_refused",
    "validation_error",
    "invalid_request",
    "not_found",
  ] as const),
  ...(["command_interrupted", "storage_unavailable", "branch_not_found", "conflict_not_found"] as const),
  ...(["limit_reached", "run_cancelled"] as const),
]

function expired(): AppError {
  const message = "No runner was ready in time, so nothing was done. Try again."
  return new AppError("command_expired", message)
}

/** Restores the error that the worktree reported. Unknown codes become `git_error`. */
function toAppError(error: Finished["error"]): AppError {
  if (!error) return new AppError("internal_error", "The command ended without an answer.")
  const { code, message, details } = error
  return new AppError(CODES.find((known) => known === code) ?? "git_error", message, details)
}
