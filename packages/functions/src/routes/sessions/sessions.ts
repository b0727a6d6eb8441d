import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { namedRepository } from "@switchyard/core/agents/tasks/new-task"
import { Repository } from "@switchyard/core/agents/tasks/schema"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import { checkedRepository } from "@switchyard/core/sessions/requests/agent-request"
import {
  CancelAnswer,
  FoundMessages,
  NewSession,
  ResumeAnswer,
  Session,
  SessionChange,
  SessionList,
} from "@switchyard/core/sessions/schema"
import { isPaused, toSession } from "@switchyard/core/sessions/session-view"
import { activeRuns } from "@switchyard/core/work/runs/state"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf } from "../../http/routing.ts"
import { flag, SessionId, SessionPageQuery } from "../../http/schemas.ts"
import { sessionList } from "../../http/session-list.ts"

const endpoint = endpointsOf("sessions")

export const routes = {
  create: endpoint.post("/api/v1/sessions", {
    summary: "Open a session",
    request: { body: { content: { "application/json": { schema: NewSession } }, required: false } },
    responses: answers(Session, "The new session", 201),
  }),
  list: endpoint.get("/api/v1/sessions", {
    summary: "List your sessions: pinned ones first, then by latest activity",
    request: {
      query: SessionPageQuery.extend({
        q: z.string().max(200).optional().describe("Only sessions whose name contains these words, in any order"),
        archived: flag.describe("Only archived sessions, which are left out otherwise"),
        project_path: Repository.optional().describe("Only sessions whose agents work in this repository"),
      }),
    },
    responses: answers(SessionList, "One page"),
  }),
  search: endpoint.get("/api/v1/search", {
    summary: "Search the messages in your sessions",
    description:
      "Finds prompts, and messages in chats, agents and teams, that contain all these words in any order. The search is case-insensitive. The most recently active sessions come first, with their latest messages. A search stops after about two seconds, and can be continued with `next`.",
    request: {
      query: SessionPageQuery.omit({ limit: true }).extend({
        q: z.string().trim().min(2).max(200).describe("The words"),
      }),
    },
    responses: answers(FoundMessages, "At most three messages per session"),
  }),
  get: endpoint.get("/api/v1/sessions/{id}", {
    summary: "Get a session",
    request: { params: SessionId },
    responses: answers(Session, "The session"),
  }),
  change: endpoint.patch("/api/v1/sessions/{id}", {
    summary: "Name, pin or archive a session",
    request: {
      params: SessionId,
      body: { content: { "application/json": { schema: SessionChange } }, required: true },
    },
    responses: answers(Session, "The session"),
  }),
  remove: endpoint.delete("/api/v1/sessions/{id}", {
    summary: "Delete a session, its files and its runs",
    request: { params: SessionId },
    responses: { ...answers(z.null(), "Deleted", 204), 204: { description: "Deleted" } },
  }),
  cancel: endpoint.post("/api/v1/sessions/{id}/cancel", {
    summary: "Cancel all of a session's active runs",
    request: { params: SessionId },
    responses: answers(CancelAnswer, "True if a run was stopped"),
  }),
  resume: endpoint.post("/api/v1/sessions/{id}/resume", {
    summary: "Resume a session's paused runs before their time",
    request: { params: SessionId },
    responses: answers(ResumeAnswer, "True if a run was resumed"),
  }),
}

/** Serves an owner's sessions. */
export function sessionRoutes(deps: AppDeps): OpenAPIHono {
  const { sessions, runs, cleanups } = deps
  const options = { signal: deps.stopping }
  const find = (c: Context, id: string) => sessions.find(principal(c).owner, id, options)

  async function cancel(c: Context, id: string): Promise<CancelAnswer> {
    const { state } = await find(c, id)
    const active = activeRuns(state)
    const stoppable = active.filter((run) => run.cancelReason === null)
    for (const { runId } of stoppable) await runs.cancel(principal(c).owner, runId, "asked for", options)
    const what = stoppable.length > 0 ? "It stops within seconds" : "It is already stopping"
    const message = active.length > 0 ? what : "No active task to cancel"
    return { session_id: id, cancel_requested: active.length > 0, message }
  }

  async function view(c: Context, found: SessionHandle): Promise<Session> {
    return toSession(found, { retentionMs: await cleanups.retentionMs(principal(c).owner, options) })
  }

  async function resume(c: Context, id: string): Promise<ResumeAnswer> {
    const { state } = await find(c, id)
    const paused = activeRuns(state).filter(isPaused)
    for (const { runId } of paused) await runs.resume(principal(c).owner, runId, options)
    const resumed = paused.length > 0
    return { session_id: id, resumed, message: resumed ? "The session continues" : "This session has no paused runs" }
  }

  return createRoutes()
    .openapi(routes.create, async (c) => {
      const { name, repository, project_path } = c.req.valid("json")
      const { owner } = principal(c)
      const remote = await checkedRepository(deps, repository ?? project_path, options)
      if (remote) {
        const { requireAccess } = await import("@switchyard/core/sessions/repository-access")
        await requireAccess(deps, owner, remote, options)
      }
      const about = { name: name || undefined, repository: remote?.url, remote }
      const sessionId = deps.newSessionId()
      await sessions.touch(owner, sessionId, { ...about, ...options })
      return c.json(await view(c, await sessions.find(owner, sessionId, options)), 201)
    })
    .openapi(routes.list, async (c) => {
      const { project_path, ...query } = c.req.valid("query")
      const local = deps.agents?.local ?? false
      const repository = project_path === undefined ? undefined : namedRepository(project_path, { local }).url
      return c.json(await sessionList(deps, principal(c).owner, { ...query, repository }), 200)
    })
    .openapi(routes.search, async (c) => {
      const { searchMessages } = await import("@switchyard/core/sessions/message-search")
      const query = c.req.valid("query")
      return c.json(await searchMessages(deps, principal(c).owner, { ...query, ...options }), 200)
    })
    .openapi(routes.get, async (c) => c.json(await view(c, await find(c, c.req.valid("param").id)), 200))
    .openapi(routes.change, async (c) => {
      const { name, ...others } = c.req.valid("json")
      const settings = { name: name === "" ? null : name, ...others }
      const changed = await sessions.change(principal(c).owner, c.req.valid("param").id, settings, options)
      return c.json(await view(c, changed), 200)
    })
    .openapi(routes.remove, async (c) => {
      const { id } = c.req.valid("param")
      await find(c, id)
      await sessions.remove(principal(c).owner, id, options)
      return c.body(null, 204)
    })
    .openapi(routes.resume, async (c) => c.json(await resume(c, c.req.valid("param").id), 200))
    .openapi(routes.cancel, async (c) => c.json(await cancel(c, c.req.valid("param").id), 200))
}
