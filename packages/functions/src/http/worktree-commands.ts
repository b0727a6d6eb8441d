import { z } from "@hono/zod-openapi"
import type { WorktreeRequest } from "@switchyard/core/agents/runner/worktree-command-rules"
import {
  type CommandResult,
  commandWorktree,
  findCommand,
  mergeThatDeleted,
  requestOf,
} from "@switchyard/core/agents/runner/worktree-commands"
import { AppError, isAppError } from "@switchyard/core/errors"
import type { MergeRequest } from "@switchyard/core/files/worktrees/merge-schema"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import { reserveRunId } from "@switchyard/core/work/runs/idempotency"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { principal } from "./request.ts"
import { unchecked } from "./routing.ts"

/** Changes to a runner's answer: additional fields, and the HTTP status. */
interface AnswerOptions {
  more?: Record<string, unknown>
  statusOf?: (answer: Record<string, unknown>) => number
}

/** Session and worktree named in a request. */
export interface NamedWorktree {
  session: SessionHandle
  worktree: string
}

/** Maximum wait for a runner. A proxy in front of the server times out after 30 seconds. */
const WAIT_MS = 25_000

/** Response to a command that takes longer than a request may take. */
export const PendingCommand = z
  .object({ command_id: z.string(), status: z.literal("pending"), links: z.object({ result: z.string() }) })
  .openapi("PendingCommand")

/** Creates the functions that send commands for worktrees to runners. */
export function createWorktreeCommands(deps: AppDeps) {
  const options = { signal: deps.stopping }

  /** Opens the session, and the worktree named in the query. */
  async function open(c: Context, id: string): Promise<NamedWorktree> {
    const session = await deps.sessions.find(principal(c).owner, id, options)
    const worktree = c.req.query("worktree") ?? MAIN_WORKTREE
    if (worktree === MAIN_WORKTREE || Object.hasOwn(session.state.worktrees.byName, worktree))
      return { session, worktree }
    throw new AppError("worktree_not_found", "This session has no worktree with this name.", { worktree })
  }

  /**
   * Sends the command to a runner. Responds with the runner's answer, or with a URL where the client can fetch the
   * answer later.
   */
  async function sendTo(c: Context, of: NamedWorktree, command: WorktreeRequest, shape: AnswerOptions = {}) {
    const request = { commandId: deps.newId("cmd"), command, worktree: of.worktree }
    return respond(c, of, await commandWorktree(deps, of.session, request, deadline()), shape)
  }

  function respond(c: Context, { session }: NamedWorktree, { commandId, answer }: CommandResult, shape: AnswerOptions) {
    if (!answer) return pending(c, session.sessionId, commandId)
    return unchecked(c.json({ ...answer, ...shape.more }, (shape.statusOf?.(answer) ?? 200) as 200))
  }

  /** Sends a command once per idempotency key. A repeated request returns the original request's result. */
  async function sendOnce(
    c: Context,
    of: NamedWorktree,
    command: WorktreeRequest,
    key: string,
  ): Promise<CommandResult> {
    const { session, worktree } = of
    const fresh = { runId: deps.newId("cmd"), sessionId: session.sessionId }
    const body = { session: session.sessionId, worktree, command }
    const asked = { owner: principal(c).owner, key, body }
    const { runId: commandId, repeated } = await reserveRunId(deps, asked, fresh, options)
    // The ID may be reserved without a command, because a process died or its request was refused before the command
    // was sent.
    const isRequested = repeated && (await requestOf(deps, session, commandId, options)) !== undefined
    if (isRequested) return findCommand(deps, session, commandId, deadline())
    return commandWorktree(deps, session, { commandId, command, worktree }, deadline())
  }

  function deadline() {
    return { ...options, enough: AbortSignal.timeout(WAIT_MS) }
  }

  async function send(c: Context, id: string, command: WorktreeRequest, shape: AnswerOptions = {}) {
    const of = await open(c, id)
    const key = c.req.header("idempotency-key")
    if (key === undefined) return sendTo(c, of, command, shape)
    return respond(c, of, await sendOnce(c, of, command, key), shape)
  }

  return {
    open,
    sendTo,
    deadline,
    /** Sends a command to the worktree named in the query, once per idempotency key. */
    send,
    /** Sends a merge. If the worktree no longer exists because this merge deleted it, returns the merge's result. */
    async sendMerge(c: Context, id: string, request: MergeRequest) {
      try {
        return await send(c, id, { command: "merge", ...request })
      } catch (error) {
        if (!isAppError(error, "worktree_not_found")) throw error
        const { session, worktree } = await open(c, id)
        const made = await mergeThatDeleted(deps, session, { ...request, worktree }, options)
        if (!made) throw error
        return unchecked(c.json(made, 200))
      }
    },
  }
}

/** Responds with the URL where the client can fetch the result later. */
export function pending(c: Context, id: string, commandId: CommandResult["commandId"]) {
  const result = `/api/v1/sessions/${id}/worktree/commands/${commandId}`
  return c.json({ command_id: commandId, status: "pending" as const, links: { result } }, 202)
}
