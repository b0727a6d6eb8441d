import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { NewRunRequest } from "@switchyard/core/agents/tasks/request"
import { resumedRun } from "@switchyard/core/sessions/requests/resume-run"
import { requestRun, startRunOnce } from "@switchyard/core/sessions/requests/start-run"
import { describeRun } from "@switchyard/core/sessions/run-view"
import { parseCursor, runEnd } from "@switchyard/core/work/runs/follow-run"
import { checkCursor, eventFrames, eventPage, hasAllEvents } from "@switchyard/core/work/runs/run-events"
import type { LocatedRun } from "@switchyard/core/work/runs/runs"
import { Run } from "@switchyard/core/work/runs/schema"
import { isEnded } from "@switchyard/core/work/runs/state"
import { hasAllFrames, streamCursor, streamFrames } from "@switchyard/core/work/workflow/stream/run-frames"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { modelKey, principal, protectedOptions, runCaller } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody, pagedOrStreamed, streams } from "../../http/routing.ts"
import { RunHeaders, WorkspaceQuery } from "../../http/schemas.ts"
import { sendEvents } from "../../http/sse.ts"

const endpoint = endpointsOf("runs")
const Event = z
  .looseObject({
    event_id: z.string(),
    seq: z.int().positive(),
    ts: z.iso.datetime(),
    type: z.string(),
    session_id: z.string(),
    run_id: z.string(),
    agent_id: z.string().optional(),
  })
  .openapi("Event", { description: "Other fields depend on the type" })
const Events = z.object({ events: z.array(Event), latest_seq: z.int(), status: Run.shape.status }).openapi("Events")
const streamComplete = { 204: { description: "The run has ended and the client has all events. Don't reconnect" } }
const RunId = z.object({ id: z.string().max(100) })
const wait = z.coerce.number().min(0).max(50).default(0).describe("Seconds to wait for the run to end")

export const routes = {
  create: endpoint.post("/v1/runs", {
    summary: "Start a run, in a new session unless you name one",
    request: {
      query: WorkspaceQuery.extend({ wait }),
      headers: RunHeaders.extend({ "idempotency-key": z.string().min(1).max(255).optional() }),
      body: jsonBody(NewRunRequest),
    },
    responses: answers(Run, "The run", 201),
  }),
  list: endpoint.get("/v1/runs", {
    summary: "List your runs, newest first",
    request: {
      query: z.object({
        limit: z.coerce.number().int().min(1).max(100).default(20),
        before: z
          .string()
          .regex(/^run_[0-9a-z]{1,60}$/)
          .optional()
          .describe("`next` of the previous page"),
      }),
    },
    responses: answers(z.object({ runs: z.array(Run), next: z.string().nullable() }).openapi("Runs"), "One page"),
  }),
  get: endpoint.get("/v1/runs/{id}", {
    summary: "Get a run",
    request: { params: RunId, query: z.object({ wait }) },
    responses: answers(Run, "The run"),
  }),
  cancel: endpoint.post("/v1/runs/{id}/cancel", {
    summary: "Cancel a run",
    request: { params: RunId },
    responses: answers(Run, "The run, which stops within seconds"),
  }),
  resume: endpoint.post("/v1/runs/{id}/resume", {
    summary: "Resume a run",
    description:
      "A parked run continues. If a workflow run failed or was cancelled, a new run continues its plan and is returned.",
    request: {
      params: RunId,
      query: z.object({
        model: z.string().max(200).optional().describe("Model for the new run. By default, the old run's"),
      }),
      headers: z.object({
        "x-api-key": RunHeaders.shape["x-api-key"],
        "idempotency-key": z.string().min(1).max(255).optional(),
      }),
    },
    responses: answers(Run, "The run that continues"),
  }),
  stream: endpoint.get("/v1/runs/{id}/stream", {
    summary: "Stream a run in the format of /stream, starting after Last-Event-ID",
    request: { params: RunId, headers: z.object({ "last-event-id": z.string().optional() }) },
    responses: { ...streams("One frame per event"), ...streamComplete },
  }),
  events: endpoint.get("/v1/runs/{id}/events", {
    summary: "List a run's events, or stream them with `Accept: text/event-stream`",
    request: {
      params: RunId,
      query: z.object({
        since_seq: z.string().optional(),
        limit: z.coerce.number().int().min(1).max(5000).default(1000),
      }),
      headers: z.object({ "last-event-id": z.string().optional() }),
    },
    responses: {
      ...pagedOrStreamed(Events, "Events after `since_seq`. The next page begins at `latest_seq`"),
      ...streamComplete,
    },
  }),
}

/** Serves runs in the format used by pipelines. */
export function runRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const requests = { ...deps, models: deps.config.models }
  const find = (c: Context, runId: string) => deps.runs.get(principal(c).owner, runId, options)

  async function afterWaiting(c: Context, found: LocatedRun, seconds: number) {
    if (seconds === 0) return describeRun(deps, found, options)
    const enough = AbortSignal.any([deps.stopping, c.req.raw.signal, AbortSignal.timeout(Math.ceil(seconds * 1000))])
    await runEnd(deps, found.ref.sid, found.run, { signal: enough })
    return describeRun(deps, await find(c, found.ref.run_id), options)
  }

  async function resumeEnded(c: Context, found: LocatedRun, { model, key }: { model?: string; key?: string }) {
    const parsed = await resumedRun(requests, found, { model, apiKey: modelKey(c) }, options)
    const body = { resumes: found.ref.run_id, model: parsed.model }
    return startRunOnce(deps, parsed, { key, body, ...options })
  }

  return createRoutes()
    .openapi(routes.create, async (c) => {
      const request = c.req.valid("json")
      const key = c.req.valid("header")["idempotency-key"]
      const found = await requestRun(requests, runCaller(c, request), request, { key, ...protectedOptions(c, deps) })
      return c.json(await afterWaiting(c, found, c.req.valid("query").wait), 201)
    })
    .openapi(routes.list, async (c) => {
      const { limit, before } = c.req.valid("query")
      const found = await Array.fromAsync(deps.runs.list(principal(c).owner, { before, limit: limit + 1, ...options }))
      const runs = await Promise.all(found.slice(0, limit).map((run) => describeRun(deps, run, options)))
      return c.json({ runs, next: found.length > limit ? (runs.at(-1)?.run_id ?? null) : null }, 200)
    })
    .openapi(routes.get, async (c) => {
      const found = await find(c, c.req.valid("param").id)
      return c.json(await afterWaiting(c, found, c.req.valid("query").wait), 200)
    })
    .openapi(routes.cancel, async (c) => {
      const { id } = c.req.valid("param")
      await deps.runs.cancel(principal(c).owner, id, "asked for", options)
      return c.json(await describeRun(deps, await find(c, id), options), 200)
    })
    .openapi(routes.resume, async (c) => {
      const { id } = c.req.valid("param")
      const found = await find(c, id)
      if (isEnded(found.run)) {
        const asked = { model: c.req.valid("query").model, key: c.req.valid("header")["idempotency-key"] }
        return c.json(await describeRun(deps, await resumeEnded(c, found, asked), options), 200)
      }
      await deps.runs.resume(principal(c).owner, id, options)
      return c.json(await describeRun(deps, await find(c, id), options), 200)
    })
    .openapi(routes.stream, async (c): Promise<Response> => {
      const cursor = streamCursor(c.req.valid("header")["last-event-id"])
      const found = await find(c, c.req.valid("param").id)
      checkCursor(Number.parseInt(cursor ?? "0", 10), found)
      if (await hasAllFrames(deps, found, cursor, options)) return c.body(null, 204)
      return sendEvents(c, { ...deps, ...options }, (signal) => streamFrames(deps, found, cursor, signal))
    })
    .openapi(routes.events, async (c): Promise<Response> => {
      // The header takes precedence: a reconnecting browser repeats the original query, but puts its latest position in
      // the header.
      const since = parseCursor(c.req.valid("header")["last-event-id"] ?? c.req.valid("query").since_seq)
      const found = await find(c, c.req.valid("param").id)
      checkCursor(since, found)
      if (c.req.header("accept")?.toLowerCase().includes("text/event-stream")) {
        if (hasAllEvents(found, since)) return c.body(null, 204)
        return sendEvents(c, { ...deps, ...options }, (signal) => eventFrames(deps, found, since, signal))
      }
      return c.json(await eventPage(deps, found, { since, limit: c.req.valid("query").limit, ...options }))
    })
}
