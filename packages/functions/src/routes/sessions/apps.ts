import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import { suggestAppName } from "@switchyard/core/sessions/apps/app-name"
import type { LiveApp } from "@switchyard/core/sessions/apps/apps"
import { NewApp, PublishedApp, SessionApp } from "@switchyard/core/sessions/apps/schema"
import { sessionName } from "@switchyard/core/sessions/session-name"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("sessions")

const ABOUT = `Copies the newest version of the session's page. Everyone who knows the address can open it, without logging in.
Publishing again replaces the copy at once. The copy outlives the session.`

/** Accepts any text. Text that isn't a valid name simply matches no app. */
const params = z.object({ name: z.string().max(200) })
const Withdrawn = z.object({ name: z.string() }).openapi("WithdrawnApp")
const AppList = z.object({ apps: z.array(PublishedApp) }).openapi("PublishedApps")

export const routes = {
  describe: endpoint.get("/api/v1/sessions/{id}/app", {
    summary: "Show a session's published app, and the files that can be published",
    request: { params: SessionId },
    responses: answers(SessionApp, "The files to publish, or why they can't be published"),
  }),
  publish: endpoint.post("/api/v1/sessions/{id}/app", {
    summary: "Publish a session's page at a public address",
    description: ABOUT,
    request: { params: SessionId, body: jsonBody(NewApp) },
    responses: answers(PublishedApp, "The published app", 201),
  }),
  list: endpoint.get("/api/v1/apps", {
    summary: "List your published apps, newest first",
    responses: answers(AppList, "The apps"),
  }),
  get: endpoint.get("/api/v1/apps/{name}", {
    summary: "Get a published app",
    request: { params },
    responses: answers(PublishedApp, "The app"),
  }),
  withdraw: endpoint.delete("/api/v1/apps/{name}", {
    summary: "Unpublish an app",
    description:
      "Its address stops working at once, and its files are deleted within minutes. The name stays reserved for you for a year.",
    request: { params },
    responses: answers(Withdrawn, "The name that was unpublished"),
  }),
}

/** Serves the list of owners' published apps. The apps themselves are served at their own addresses. */
export function appRoutes(deps: AppDeps): OpenAPIHono {
  const { apps, previews } = deps
  const options = { signal: deps.stopping }

  const addressOf = (c: Context, name: string) => previews?.appAddressFor(name, c.req.header("host") ?? "") ?? null

  function toPublished(c: Context, app: LiveApp): PublishedApp {
    const { name, session_id, session_name, version, folder, file_count, size_bytes } = app
    const published_at = new Date(app.published_at).toISOString()
    const about = { session_id, session_name, version, folder, file_count, size_bytes, published_at }
    return { name, url: addressOf(c, name), ...about }
  }

  async function describe(c: Context, session: SessionHandle): Promise<SessionApp> {
    // Load this module on demand, because it contains a parser.
    const { planApp } = await import("@switchyard/core/sessions/apps/app-plan")
    const [plan, live] = await Promise.all([
      planApp(deps, session, options),
      apps.ofSession(principal(c).owner, session.sid, options),
    ])
    const address = addressOf(c, "{name}")
    const { app, version } = plan
    const leftOut = app?.leftOut ?? []
    return {
      app: live ? toPublished(c, live) : null,
      version,
      reason: plan.reason ?? (address === null ? NOWHERE : null),
      folder: app?.folder.replace(/\/$/, "") ?? "",
      file_count: app?.files.length ?? 0,
      size_bytes: app?.sizeBytes ?? 0,
      left_out: leftOut.slice(0, MAX_LEFT_OUT),
      left_out_count: leftOut.length,
      suggested_name: suggestAppName(sessionName(session.state)),
      address,
      opaque: previews?.opaque ?? false,
    }
  }

  const find = (c: Context, id: string) => deps.sessions.find(principal(c).owner, id, options)

  return createRoutes()
    .openapi(routes.describe, async (c) => {
      return c.json(await describe(c, await find(c, c.req.valid("param").id)), 200)
    })
    .openapi(routes.publish, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      if (addressOf(c, "{name}") === null) throw new AppError("invalid_request", NOWHERE)
      const app = await apps.publish(principal(c).owner, session, c.req.valid("json").name, options)
      return c.json(toPublished(c, app), 201)
    })
    .openapi(routes.list, async (c) => {
      const found = await apps.list(principal(c).owner, options)
      return c.json({ apps: found.map((app) => toPublished(c, app)) }, 200)
    })
    .openapi(routes.get, async (c) => {
      const app = await apps.find(principal(c).owner, c.req.valid("param").name, options)
      if (!app) throw new AppError("not_found", "You have no published app with this name.")
      return c.json(toPublished(c, app), 200)
    })
    .openapi(routes.withdraw, async (c) => {
      const { name } = c.req.valid("param")
      await apps.withdraw(principal(c).owner, name, options)
      return c.json({ name }, 200)
    })
}

const MAX_LEFT_OUT = 50
const NOWHERE =
  "This server can't publish apps for this browser. On your own machine, open the studio at http://localhost. When deployed, the server needs its previews."
