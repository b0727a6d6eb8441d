import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import { parseCheck } from "@switchyard/core/sessions/check-request"
import { startRun } from "@switchyard/core/sessions/start-run"
import { describeRun } from "@switchyard/core/work/runs/run-view"
import { Run } from "@switchyard/core/work/runs/schema"
import type { AppDeps } from "../deps.ts"
import { principal } from "../http/request.ts"
import { answers, createRoutes, jsonBody } from "../http/routing.ts"
import { SessionId } from "../http/schemas.ts"

const NewCheck = z
  .object({
    consent: z
      .boolean()
      .default(false)
      .describe("Allows checks to run what was built on this machine, from now on; needed once, and only locally"),
  })
  .openapi("NewCheck")

export const routes = {
  create: createRoute({
    method: "post",
    path: "/api/v1/sessions/{id}/checks",
    tags: ["sessions"],
    summary: "Install, build, test and start the files of a session",
    description:
      "What the project declares is run on a clean copy, in a sandbox where the machine has one. The answer is a run; its end has the verdict.",
    request: { params: SessionId, body: jsonBody(NewCheck) },
    responses: answers(Run, "The run", 201),
  }),
}

/** Checks of what was built. */
export function checkRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  return createRoutes().openapi(routes.create, async (c) => {
    const { owner } = principal(c)
    const session = await deps.sessions.find(owner, c.req.valid("param").id, options)
    const run = await parseCheck(deps, { owner, session, ...c.req.valid("json") }, options)
    const { runId } = await startRun(deps, run, options)
    const found = await deps.runs.get(owner, runId, options)
    return c.json(await describeRun(deps, found, options), 201)
  })
}
