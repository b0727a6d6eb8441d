import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import type { WorktreeRequest } from "@switchyard/core/agents/runner/worktree-command-rules"
import { commandWorktree, findCommand } from "@switchyard/core/agents/runner/worktree-commands"
import { AppError } from "@switchyard/core/errors"
import { noWorktree, readWorktree } from "@switchyard/core/files/worktrees/latest"
import { MAIN_WORKTREE, WorktreeName } from "@switchyard/core/files/worktrees/names-schema"
import {
  Branches,
  CompleteRequest,
  ConfirmedDeletions,
  ConflictFile,
  Conflicts,
  CreatedWorktree,
  CreateWorktree,
  Deleted,
  DiffQuery,
  DiffSummary,
  FullDiff,
  MergeRequest,
  MergeResult,
  PushRequest,
  PushResult,
  Reset,
  ResolveRequest,
  UpdateRequest,
  WorktreeStatus,
} from "@switchyard/core/files/worktrees/schema"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { principal } from "../http/request.ts"
import { answers, createRoutes, jsonBody, unchecked } from "../http/routing.ts"
import { flag, SessionId } from "../http/schemas.ts"

const tags = ["worktrees"]
const AT = "/api/v1/sessions/{id}/worktree"
const ofSession = { session_id: z.string() }
const worktree = WorktreeName.default(MAIN_WORKTREE).describe("Which of the session's worktrees")
const fresh = flag.describe("Ask the repository itself; else as a runner last told")

/** It takes longer than a request may. */
const Pending = z
  .object({ command_id: z.string(), status: z.literal("pending"), links: z.object({ result: z.string() }) })
  .openapi("PendingCommand")

/** A change of the worktree, which a runner makes. */
function change<P extends string, T extends z.ZodType, A extends z.ZodType>(
  path: P,
  summary: string,
  body: T,
  answer: A,
) {
  // A body that may be left out is not checked if it is.
  const required = !body.safeParse({}).success
  return createRoute({
    method: "post",
    path: `${AT}${path}`,
    tags,
    summary,
    request: { params: SessionId, query: z.object({ worktree }), body: { ...jsonBody(body), required } },
    responses: { ...answers(answer, "What came of it"), ...answers(Pending, "It is under way", 202) },
  })
}

function question<P extends string, T extends z.ZodObject, A extends z.ZodType>(
  path: P,
  summary: string,
  query: T,
  answer: A,
) {
  return createRoute({
    method: "get",
    path: `${AT}${path}`,
    tags,
    summary,
    request: { params: SessionId, query },
    responses: { ...answers(answer, "As it is"), ...answers(Pending, "It is being looked up", 202) },
  })
}

const Nothing = z.object({}).openapi("Empty")
const FreshDiff = DiffQuery.extend({ worktree, fresh })

export const routes = {
  status: question(
    "",
    "The session's worktree; `exists` is false where there is none",
    z.object({ worktree, fresh }),
    WorktreeStatus,
  ),
  diff: question("/diff", "Which files the work changes", FreshDiff, DiffSummary),
  fullDiff: question(
    "/diff/full",
    "What the work changes, line by line",
    FreshDiff,
    FullDiff.extend(ofSession).openapi("SessionDiff"),
  ),
  branches: question("/branches", "The repository's branches", z.object({ worktree, fresh }), Branches),
  conflicts: question(
    "/conflicts",
    "What a merge waits for; with a path, that file with its whole texts",
    z.object({ worktree, path: z.string().min(1).max(4096).optional() }),
    z.union([Conflicts, ConflictFile]).openapi("ConflictsOrFile"),
  ),
  create: createRoute({
    method: "post",
    path: AT,
    tags,
    summary: "Make the session's worktree, unless it has one",
    request: {
      params: SessionId,
      query: z.object({ worktree, reset: flag.describe("Make it anew: the work in one that is there is thrown away") }),
      body: { ...jsonBody(CreateWorktree), required: false },
    },
    responses: {
      ...answers(CreatedWorktree, "It is made", 201),
      ...answers(CreatedWorktree, "The session has one, which is left as it is", 200),
      ...answers(Pending, "It is under way", 202),
    },
  }),
  confirmDeletions: change(
    "/confirm-deletions",
    "Let the files go that a task deleted and that wait for it",
    Nothing,
    ConfirmedDeletions,
  ),
  merge: change("/merge", "Merge the work into a branch", MergeRequest, MergeResult),
  update: change("/update", "Merge the target branch into the work", UpdateRequest, MergeResult),
  resolve: change("/resolve-conflicts", "Resolve a file, or all of them by a side", ResolveRequest, MergeResult),
  complete: change("/complete-merge", "Make the merge once nothing is left to resolve", CompleteRequest, MergeResult),
  abort: change("/abort-merge", "Give a merge up", Nothing, MergeResult),
  reset: change(
    "/reset",
    "Take the work back to where it began",
    Nothing,
    Reset.extend(ofSession).openapi("WorktreeReset"),
  ),
  push: change("/push", "Send a branch to the clone's remote", PushRequest, PushResult),
  remove: createRoute({
    method: "delete",
    path: AT,
    tags,
    summary: "Delete the worktree and its branch",
    request: { params: SessionId, query: z.object({ worktree }) },
    responses: {
      ...answers(Deleted.extend(ofSession).openapi("DeletedWorktree"), "What came of it"),
      ...answers(Pending, "It is under way", 202),
    },
  }),
  command: createRoute({
    method: "get",
    path: `${AT}/commands/{command}`,
    tags,
    summary: "What came of a command that took longer than its request",
    request: { params: SessionId.extend({ command: z.string().max(100) }) },
    responses: {
      ...answers(z.record(z.string(), z.unknown()), "Its answer"),
      ...answers(Pending, "It is under way", 202),
    },
  }),
}

/** The parts of an answer beyond the runner's. */
interface Shape {
  more?: Record<string, unknown>
  statusOf?: (answer: Record<string, unknown>) => number
}

/** The proxy in front gives up after half a minute. */
const WAIT_MS = 25_000

/** The work of a session's agents, and the way from there into a branch. */
export function worktreeRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const find = (c: Context, id: string) => deps.sessions.find(principal(c).owner, id, options)
  const patience = () => ({ ...options, enough: AbortSignal.timeout(WAIT_MS) })

  /** Has it done, and answers as `shape` says, or where the result will be. */
  async function command(c: Context, id: string, asked: WorktreeRequest, given: Shape = {}) {
    const { session, worktree } = await open(c, id)
    const commandId = deps.newId("cmd")
    const { answer } = await commandWorktree(deps, session, { commandId, command: asked, worktree }, patience())
    if (!answer) return pending(c, id, commandId)
    return unchecked(c.json({ ...answer, ...given.more }, (given.statusOf?.(answer) ?? 200) as 200))
  }

  function pending(c: Context, id: string, commandId: string) {
    const result = `/api/v1/sessions/${id}/worktree/commands/${commandId}`
    return c.json({ command_id: commandId, status: "pending" as const, links: { result } }, 202)
  }

  /** The session, and the worktree that the query names. */
  async function open(c: Context, id: string): Promise<{ session: SessionHandle; worktree: string }> {
    const session = await find(c, id)
    const worktree = c.req.query("worktree") ?? MAIN_WORKTREE
    if (worktree === MAIN_WORKTREE || Object.hasOwn(session.state.worktrees.byName, worktree))
      return { session, worktree }
    throw new AppError("worktree_not_found", "This session has no worktree of this name.", { worktree })
  }

  async function known(c: Context, id: string) {
    const { session, worktree } = await open(c, id)
    return readWorktree(deps, session, { worktree, ...options })
  }

  async function existing(c: Context, id: string) {
    const latest = await known(c, id)
    if (latest) return latest
    throw new AppError("worktree_not_found", "This session has no worktree yet.")
  }

  return createRoutes()
    .openapi(routes.status, async (c) => {
      const { id } = c.req.valid("param")
      if (c.req.valid("query").fresh) return command(c, id, { question: "status" })
      return c.json((await known(c, id))?.status ?? noWorktree, 200)
    })
    .openapi(routes.branches, async (c) => {
      const { id } = c.req.valid("param")
      const latest = c.req.valid("query").fresh ? undefined : await known(c, id)
      return latest?.branches ? c.json(latest.branches, 200) : command(c, id, { question: "branches" })
    })
    .openapi(routes.diff, async (c) => {
      const { id } = c.req.valid("param")
      const { fresh, worktree: _, ...query } = c.req.valid("query")
      const asked = () => command(c, id, { question: "diff", ...query })
      if (fresh || query.compare_branch || query.path) return asked()
      const { status, diff } = await existing(c, id)
      if (!status.exists) throw new AppError("worktree_not_found", "This session has no worktree.")
      if (!diff) return asked()
      return c.json({ ...diff, files: diff.files.map(({ hunks: _, ...entry }) => entry) }, 200)
    })
    .openapi(routes.fullDiff, async (c) => {
      const { id } = c.req.valid("param")
      const { fresh, worktree: _, ...query } = c.req.valid("query")
      const more = { session_id: id }
      const asked = () => command(c, id, { question: "full_diff", ...query }, { more })
      if (fresh || query.compare_branch || query.path) return asked()
      const { status, diff } = await existing(c, id)
      if (!status.exists) throw new AppError("worktree_not_found", "This session has no worktree.")
      if (!diff) return asked()
      return c.json({ ...diff, ...more }, 200)
    })
    .openapi(routes.conflicts, async (c) => {
      const { id } = c.req.valid("param")
      const { path } = c.req.valid("query")
      if (path) return command(c, id, { question: "conflict", path })
      const { conflicts } = await existing(c, id)
      if (!conflicts) throw new AppError("worktree_conflict", "No merge waits here.")
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
      const { answer } = await findCommand(deps, await find(c, id), commandId, patience())
      return answer ? c.json({ ...answer, session_id: id }, 200) : pending(c, id, commandId)
    })
}
