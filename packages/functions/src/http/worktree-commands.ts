import { z } from "@hono/zod-openapi"
import type { WorktreeRequest } from "@switchyard/core/agents/runner/worktree-command-rules"
import { type CommandResult, commandWorktree } from "@switchyard/core/agents/runner/worktree-commands"
import { AppError } from "@switchyard/core/errors"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { principal } from "./request.ts"
import { unchecked } from "./routing.ts"

/** Changes to a runner's answer: fields to add, and its HTTP status. */
interface AnswerOptions {
  more?: Record<string, unknown>
  statusOf?: (answer: Record<string, unknown>) => number
}

/** A session, and the worktree named by a request. */
export interface NamedWorktree {
  session: SessionHandle
  worktree: string
}

/** Maximum wait for a runner. A proxy in front of the server times out after 30 seconds. */
const WAIT_MS = 25_000

/** Response if a command takes longer than a request may. */
export const PendingCommand = z
  .object({ command_id: z.string(), status: z.literal("pending"), links: z.object({ result: z.string() }) })
  .openapi("PendingCommand")

/** Sends commands for worktrees to runners. */
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
   * Sends the request to a runner. Responds with the runner's answer, or with the URL for fetching the result later.
   */
  async function sendTo(c: Context, of: NamedWorktree, command: WorktreeRequest, shape: AnswerOptions = {}) {
    const commandId = deps.newId("cmd")
    const request = { commandId, command, worktree: of.worktree }
    const { answer } = await commandWorktree(deps, of.session, request, deadline())
    if (!answer) return pending(c, of.session.sessionId, commandId)
    return unchecked(c.json({ ...answer, ...shape.more }, (shape.statusOf?.(answer) ?? 200) as 200))
  }

  function deadline() {
    return { ...options, enough: AbortSignal.timeout(WAIT_MS) }
  }

  return {
    open,
    sendTo,
    deadline,
    /** Sends a command to the worktree named in the query. */
    async send(c: Context, id: string, command: WorktreeRequest, shape?: AnswerOptions) {
      return sendTo(c, await open(c, id), command, shape)
    },
  }
}

/** Responds with the URL for fetching the result later. */
export function pending(c: Context, id: string, commandId: CommandResult["commandId"]) {
  const result = `/api/v1/sessions/${id}/worktree/commands/${commandId}`
  return c.json({ command_id: commandId, status: "pending" as const, links: { result } }, 202)
}
