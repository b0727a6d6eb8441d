import type { OpenAPIHono } from "@hono/zod-openapi"
import { findCommand } from "@switchyard/core/agents/runner/worktree-commands"
import { AppError } from "@switchyard/core/errors"
import { readCollisions } from "@switchyard/core/files/worktrees/collisions"
import type { WorktreeQuery } from "@switchyard/core/files/worktrees/command-schema"
import type { DiffQuery } from "@switchyard/core/files/worktrees/diff-schema"
import { noWorktree, readWorktree } from "@switchyard/core/files/worktrees/latest"
import { mayHaveWorktree } from "@switchyard/core/files/worktrees/state"
import { readWorkEvidence } from "@switchyard/core/sessions/work-evidence"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { isFromOwnPage } from "../../http/guards.ts"
import { principal } from "../../http/request.ts"
import { createRoutes } from "../../http/routing.ts"
import { createWorktreeCommands, type NamedWorktree, pending } from "../../http/worktree-commands.ts"
import { routes } from "./worktree-endpoints.ts"

/**
 * Serves agents' work in a session, as last reported by a runner. A runner is asked only for data that the report
 * doesn't contain. Asking a runner requires permission to start work, because the request may start a runner.
 */
export function worktreeReadRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const commands = createWorktreeCommands(deps)

  const mayStartWork = (c: Context) => principal(c).scopes.includes("run") && isFromOwnPage(deps.config, c)

  /**
   * True if a runner must read the repository again. False if there is nothing to read, or if the caller may only see
   * the last report.
   */
  function readsAnew(c: Context, { session, worktree }: NamedWorktree, fresh: boolean): boolean {
    return fresh && mayHaveWorktree(session.state, worktree) && mayStartWork(c)
  }

  function askRunner(c: Context, of: NamedWorktree, query: WorktreeQuery, more?: Record<string, unknown>) {
    if (mayStartWork(c)) return commands.sendTo(c, of, query, { more })
    const message = "Only a runner can answer this, which requires the scope `run`."
    throw new AppError("forbidden", message, { scope: "run" })
  }

  const readLatest = ({ session, worktree }: NamedWorktree) => readWorktree(deps, session, { worktree, ...options })

  /** Returns the reported diff, or undefined if a runner has to compute the diff. */
  async function reportedDiff(c: Context, of: NamedWorktree, { fresh, compare_branch, path }: FreshDiffQuery) {
    requireWorktree(of)
    if (compare_branch || path || readsAnew(c, of, fresh)) return undefined
    const latest = await readLatest(of)
    if (!latest?.status.exists) throw missing()
    return latest.diff ?? undefined
  }

  return createRoutes()
    .openapi(routes.status, async (c) => {
      const of = await commands.open(c, c.req.valid("param").id)
      if (readsAnew(c, of, c.req.valid("query").fresh)) return askRunner(c, of, { question: "status" })
      return c.json((await readLatest(of))?.status ?? noWorktree, 200)
    })
    .openapi(routes.branches, async (c) => {
      const of = await commands.open(c, c.req.valid("param").id)
      const latest = readsAnew(c, of, c.req.valid("query").fresh) ? undefined : await readLatest(of)
      return latest?.branches ? c.json(latest.branches, 200) : askRunner(c, of, { question: "branches" })
    })
    .openapi(routes.diff, async (c) => {
      const of = await commands.open(c, c.req.valid("param").id)
      const { fresh, worktree: _, ...query } = c.req.valid("query")
      const diff = await reportedDiff(c, of, c.req.valid("query"))
      if (!diff) return askRunner(c, of, { question: "diff", ...query })
      return c.json({ ...diff, files: diff.files.map(({ hunks: _, ...entry }) => entry) }, 200)
    })
    .openapi(routes.fullDiff, async (c) => {
      const { id } = c.req.valid("param")
      const of = await commands.open(c, id)
      const { fresh, worktree: _, ...query } = c.req.valid("query")
      const diff = await reportedDiff(c, of, c.req.valid("query"))
      if (!diff) return askRunner(c, of, { question: "full_diff", ...query }, { session_id: id })
      return c.json({ ...diff, session_id: id }, 200)
    })
    .openapi(routes.evidence, async (c) => {
      const { session, worktree } = await commands.open(c, c.req.valid("param").id)
      return c.json(await readWorkEvidence(deps, session, { worktree, ...options }), 200)
    })
    .openapi(routes.conflicts, async (c) => {
      const of = await commands.open(c, c.req.valid("param").id)
      const { path } = c.req.valid("query")
      requireWorktree(of)
      if (path) return askRunner(c, of, { question: "conflict", path })
      const latest = await readLatest(of)
      if (!latest) throw missing()
      if (!latest.conflicts) throw new AppError("worktree_conflict", "No merge is in progress.")
      return c.json(latest.conflicts, 200)
    })
    .openapi(routes.collisions, async (c) => {
      const session = await deps.sessions.find(principal(c).owner, c.req.valid("param").id, options)
      return c.json({ collisions: await readCollisions(deps, session, options) }, 200)
    })
    .openapi(routes.command, async (c) => {
      const { id, command } = c.req.valid("param")
      const session = await deps.sessions.find(principal(c).owner, id, options)
      const { answer } = await findCommand(deps, session, command, commands.deadline())
      return answer ? c.json({ ...answer, session_id: id }, 200) : pending(c, id, command)
    })
}

type FreshDiffQuery = DiffQuery & { fresh: boolean }

/** Throws if the worktree can't exist. Otherwise, a runner would be started just to find that there is no worktree. */
function requireWorktree({ session, worktree }: NamedWorktree): void {
  if (!mayHaveWorktree(session.state, worktree)) throw missing()
}

function missing(): AppError {
  return new AppError("worktree_not_found", "This session has no worktree.")
}
