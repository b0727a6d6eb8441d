import type { OpenAPIHono } from "@hono/zod-openapi"
import type { WorktreeRequest } from "@switchyard/core/agents/runner/worktree-command-rules"
import { commandWorktree, findCommand } from "@switchyard/core/agents/runner/worktree-commands"
import { AppError } from "@switchyard/core/errors"
import { noWorktree, readWorktree } from "@switchyard/core/files/worktrees/latest"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { principal } from "../http/request.ts"
import { createRoutes, unchecked } from "../http/routing.ts"
import { routes } from "./worktree-endpoints.ts"

/** The additions to a runner's answer. */
interface AnswerOptions {
  more?: Record<string, unknown>
  statusOf?: (answer: Record<string, unknown>) => number
}

/** The proxy in front gives up after half a minute. */
const WAIT_MS = 25_000

/** The work of a session's agents, and the way from there into a branch. */
export function worktreeRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const find = (c: Context, id: string) => deps.sessions.find(principal(c).owner, id, options)
  const deadline = () => ({ ...options, enough: AbortSignal.timeout(WAIT_MS) })

  /** Has a runner execute the command, and responds with its answer, or with the place of the later result. */
  async function command(c: Context, id: string, request: WorktreeRequest, shape: AnswerOptions = {}) {
    const { session, worktree } = await openWorktree(c, id)
    const commandId = deps.newId("cmd")
    const { answer } = await commandWorktree(deps, session, { commandId, command: request, worktree }, deadline())
    if (!answer) return pending(c, id, commandId)
    return unchecked(c.json({ ...answer, ...shape.more }, (shape.statusOf?.(answer) ?? 200) as 200))
  }

  function pending(c: Context, id: string, commandId: string) {
    const result = `/api/v1/sessions/${id}/worktree/commands/${commandId}`
    return c.json({ command_id: commandId, status: "pending" as const, links: { result } }, 202)
  }

  /** The session, and the worktree that the query names. */
  async function openWorktree(c: Context, id: string): Promise<{ session: SessionHandle; worktree: string }> {
    const session = await find(c, id)
    const worktree = c.req.query("worktree") ?? MAIN_WORKTREE
    if (worktree === MAIN_WORKTREE || Object.hasOwn(session.state.worktrees.byName, worktree))
      return { session, worktree }
    throw new AppError("worktree_not_found", "This session has no worktree with this name.", { worktree })
  }

  async function readLatest(c: Context, id: string) {
    const { session, worktree } = await openWorktree(c, id)
    return readWorktree(deps, session, { worktree, ...options })
  }

  async function requireLatest(c: Context, id: string) {
    const latest = await readLatest(c, id)
    if (latest) return latest
    throw new AppError("worktree_not_found", "This session has no worktree yet.")
  }

  return createRoutes()
    .openapi(routes.status, async (c) => {
      const { id } = c.req.valid("param")
      if (c.req.valid("query").fresh) return command(c, id, { question: "status" })
      return c.json((await readLatest(c, id))?.status ?? noWorktree, 200)
    })
    .openapi(routes.branches, async (c) => {
      const { id } = c.req.valid("param")
      const latest = c.req.valid("query").fresh ? undefined : await readLatest(c, id)
      return latest?.branches ? c.json(latest.branches, 200) : command(c, id, { question: "branches" })
    })
    .openapi(routes.diff, async (c) => {
      const { id } = c.req.valid("param")
      const { fresh, worktree: _, ...query } = c.req.valid("query")
      const fromRunner = () => command(c, id, { question: "diff", ...query })
      if (fresh || query.compare_branch || query.path) return fromRunner()
      const { status, diff } = await requireLatest(c, id)
      if (!status.exists) throw new AppError("worktree_not_found", "This session has no worktree.")
      if (!diff) return fromRunner()
      return c.json({ ...diff, files: diff.files.map(({ hunks: _, ...entry }) => entry) }, 200)
    })
    .openapi(routes.fullDiff, async (c) => {
      const { id } = c.req.valid("param")
      const { fresh, worktree: _, ...query } = c.req.valid("query")
      const more = { session_id: id }
      const fromRunner = () => command(c, id, { question: "full_diff", ...query }, { more })
      if (fresh || query.compare_branch || query.path) return fromRunner()
      const { status, diff } = await requireLatest(c, id)
      if (!status.exists) throw new AppError("worktree_not_found", "This session has no worktree.")
      if (!diff) return fromRunner()
      return c.json({ ...diff, ...more }, 200)
    })
    .openapi(routes.conflicts, async (c) => {
      const { id } = c.req.valid("param")
      const { path } = c.req.valid("query")
      if (path) return command(c, id, { question: "conflict", path })
      const { conflicts } = await requireLatest(c, id)
      if (!conflicts) throw new AppError("worktree_conflict", "No merge is in progress.")
      return c.json(conflicts, 200)
    })
    .openapi(routes.create, (c) => {
      const { reset } = c.req.valid("query")
      const statusOf = (answer: Record<string, unknown>) => (answer.created ? 201 : 200)
      return command(c, c.req.valid("param").id, { command: "create", reset, ...c.req.valid("json") }, { statusOf })
    })
    .openapi(routes.confirmDeletions, (c) => {
      return command(c, c.req.valid("param").id, { command: "confirm_deletions" })
    })
    .openapi(routes.merge, (c) => {
      return command(c, c.req.valid("param").id, { command: "merge", ...c.req.valid("json") })
    })
    .openapi(routes.update, (c) => {
      return command(c, c.req.valid("param").id, { command: "update", ...c.req.valid("json") })
    })
    .openapi(routes.resolve, (c) => {
      return command(c, c.req.valid("param").id, { command: "resolve", resolution: c.req.valid("json") })
    })
    .openapi(routes.complete, (c) => {
      return command(c, c.req.valid("param").id, { command: "complete", ...c.req.valid("json") })
    })
    .openapi(routes.abort, (c) => command(c, c.req.valid("param").id, { command: "abort" }))
    .openapi(routes.reset, (c) => {
      const { id } = c.req.valid("param")
      return command(c, id, { command: "reset" }, { more: { session_id: id } })
    })
    .openapi(routes.push, (c) => {
      return command(c, c.req.valid("param").id, { command: "push", ...c.req.valid("json") })
    })
    .openapi(routes.remove, (c) => {
      const { id } = c.req.valid("param")
      return command(c, id, { command: "delete" }, { more: { session_id: id } })
    })
    .openapi(routes.command, async (c) => {
      const { id, command: commandId } = c.req.valid("param")
      const { answer } = await findCommand(deps, await find(c, id), commandId, deadline())
      return answer ? c.json({ ...answer, session_id: id }, 200) : pending(c, id, commandId)
    })
}
