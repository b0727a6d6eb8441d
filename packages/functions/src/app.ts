import type { OpenAPIHono } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { AppDeps } from "./deps.ts"
import { errorResponse } from "./http/errors.ts"
import { allowOrigins, isLoopback, limitBody, trustOnlyThisMachine } from "./http/guards.ts"
import { createRoutes } from "./http/routing.ts"
import { aboutRoutes } from "./routes/about.ts"
import { blobRoutes } from "./routes/blobs.ts"
import { docsRoutes } from "./routes/docs.ts"
import { runRoutes } from "./routes/runs.ts"
import { sessionRoutes } from "./routes/sessions.ts"
import { workflowRoutes } from "./routes/workflows.ts"
import { workspaceRoutes } from "./routes/workspace.ts"

/** The whole HTTP surface. */
export function createApp(deps: AppDeps): OpenAPIHono {
  const app = createRoutes()
  app.onError((error, c) => errorResponse(error, c, deps.report))
  app.notFound((c) => errorResponse(new AppError("not_found", "There is nothing here."), c, deps.report))
  if (isLoopback(deps.config.host)) app.use(trustOnlyThisMachine(deps.config))
  app.use(allowOrigins(deps.config), limitBody())
  if (deps.config.requireWorkspaceAuth) app.use("/workspace/*", requireKey)

  for (const routes of [aboutRoutes, workflowRoutes, runRoutes, workspaceRoutes, sessionRoutes])
    app.route("/", routes(deps))
  app.route("/", docsRoutes(app, deps.version))
  if (deps.verifySignedBlob) app.route("/", blobRoutes(deps, deps.verifySignedBlob))
  return app
}

/** The reference contract asks for the key's presence, and for no more. Whose a workspace is, ownership decides. */
const requireKey: Parameters<OpenAPIHono["use"]>[1] = async (c, next) => {
  if (!c.req.header("x-api-key")?.trim()) {
    throw new AppError("workspace_unauthorized", "Send your model key in the X-API-KEY header.")
  }
  await next()
}
