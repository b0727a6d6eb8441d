import type { OpenAPIHono } from "@hono/zod-openapi"
import { PushedSession, SessionPushRequest } from "@switchyard/core/sessions/forges/push-schema"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("sessions")

const ABOUT = `Pushes the newest version as one commit, with your token for the repository's host. A repository that doesn't exist is created.
In an existing one, the commit is on a new branch, with a pull request. Existing branches are never changed.`

export const routes = {
  push: endpoint.post("/api/v1/sessions/{id}/push", {
    summary: "Push a session's files to a new or existing repository",
    description: ABOUT,
    request: { params: SessionId, body: jsonBody(SessionPushRequest) },
    responses: answers(PushedSession, "The commit and its pull request"),
  }),
}

/** Lets clients push a session's files to git hosts. */
export function pushRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  return createRoutes().openapi(routes.push, async (c) => {
    const { owner } = principal(c)
    const session = await deps.sessions.find(owner, c.req.valid("param").id, options)
    // Load this module on demand, because few requests need it.
    const { pushSession } = await import("@switchyard/core/sessions/forges/push-session")
    return c.json(await pushSession(deps, { owner, session, request: c.req.valid("json") }, options), 200)
  })
}
