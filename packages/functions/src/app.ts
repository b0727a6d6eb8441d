import type { OpenAPIHono } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { Context } from "hono"
import type { AppDeps } from "./deps.ts"
import { admit } from "./http/admit.ts"
import { readBody } from "./http/body.ts"
import { errorResponse } from "./http/errors.ts"
import {
  allowOrigins,
  guardAnswers,
  isLoopback,
  requireAddress,
  requireKey,
  trustOnlyThisMachine,
} from "./http/guards.ts"
import { allowedMethods, createRoutes } from "./http/routing.ts"
import { aboutRoutes } from "./routes/about.ts"
import { accessRoutes } from "./routes/access.ts"
import { accountRoutes } from "./routes/accounts.ts"
import { archiveRoutes } from "./routes/archives.ts"
import { artifactRoutes } from "./routes/artifacts.ts"
import { blobRoutes } from "./routes/blobs.ts"
import { docsRoutes } from "./routes/docs.ts"
import { handOverRoutes } from "./routes/hand-over.ts"
import { runRoutes } from "./routes/runs.ts"
import { sessionLifeRoutes } from "./routes/session-life.ts"
import { sessionLogRoutes } from "./routes/session-log.ts"
import { sessionRoutes } from "./routes/sessions.ts"
import { settingsRoutes } from "./routes/settings.ts"
import { isVisit, sendStudioPage, studioRoutes } from "./routes/studio.ts"
import { taskRoutes } from "./routes/tasks.ts"
import { terminalRoutes } from "./routes/terminals.ts"
import { workflowRoutes } from "./routes/workflows.ts"
import { workspaceRoutes } from "./routes/workspace.ts"
import { worktreeRoutes } from "./routes/worktrees.ts"

/** The whole HTTP surface. */
export function createApp(deps: AppDeps): OpenAPIHono {
  const { config, report, stopping } = deps
  if (config.auth.mode === "open" && !isLoopback(config.host))
    throw new Error("Without log-in, nobody else may listen.")
  const errors = { report, stopping, verbose: config.verboseErrors }
  const answerError = (error: unknown, c: Context) => errorResponse(error, c, errors)
  const app = createRoutes()
  app.onError(answerError)
  app.notFound((c) => {
    const allowed = allowedMethods(app, c.req.path)
    // The studio itself answers for its addresses that don't exist.
    if (allowed.length === 0 && deps.studio && isVisit(c)) return sendStudioPage(deps.studio, c)
    if (allowed.length === 0) return answerError(new AppError("not_found", "There is nothing here."), c)
    c.header("Allow", allowed.join(", "))
    return answerError(new AppError("method_not_allowed", "This can't be done here.", { allowed }), c)
  })

  app.use(guardAnswers())
  app.use(requireAddress())
  if (config.auth.mode === "open") app.use(trustOnlyThisMachine(config))
  app.use(allowOrigins(config))
  if (config.workspaceAuth === "key") app.use("/workspace/*", requireKey())
  app.use(admit(deps))
  app.use(readBody())

  for (const routes of [
    aboutRoutes,
    accessRoutes,
    workflowRoutes,
    runRoutes,
    workspaceRoutes,
    sessionRoutes,
    sessionLifeRoutes,
    sessionLogRoutes,
    taskRoutes,
    terminalRoutes,
    handOverRoutes,
    worktreeRoutes,
    artifactRoutes,
    settingsRoutes,
    accountRoutes,
    archiveRoutes,
  ])
    app.route("/", routes(deps))
  app.route("/", docsRoutes(app, deps))
  app.route("/", studioRoutes(deps))
  if (deps.verifySignedBlob) app.route("/", blobRoutes(deps, deps.verifySignedBlob))
  return app
}
