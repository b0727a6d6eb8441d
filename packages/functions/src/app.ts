import type { OpenAPIHono } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { Context } from "hono"
import type { AppDeps } from "./deps.ts"
import { authorize } from "./http/authorize.ts"
import { readBody } from "./http/body.ts"
import { errorResponse } from "./http/errors.ts"
import { allowOrigins, requireKey, requireLoopbackHost, requireValidHost, securityHeaders } from "./http/guards.ts"
import { isLoopback } from "./http/loopback.ts"
import { refuseUnknownParameters } from "./http/query.ts"
import { allowedMethods, createRoutes } from "./http/routing.ts"
import { accessRoutes } from "./routes/access.ts"
import { accountRoutes } from "./routes/accounts.ts"
import { agentFileRoutes } from "./routes/agent-files.ts"
import { agentRoutes } from "./routes/agents.ts"
import { answerLinkRoutes } from "./routes/answer-links.ts"
import { archiveRoutes } from "./routes/archives.ts"
import { artifactRoutes } from "./routes/artifacts.ts"
import { bakeOffRoutes } from "./routes/bake-offs.ts"
import { blobRoutes } from "./routes/blobs.ts"
import { chatRoutes } from "./routes/chat.ts"
import { chatCommitRoutes } from "./routes/chat-commits.ts"
import { chatContextRoutes } from "./routes/chat-context.ts"
import { chatConversationRoutes } from "./routes/chat-conversations.ts"
import { chatFileRoutes } from "./routes/chat-files.ts"
import { chatReviewRoutes } from "./routes/chat-reviews.ts"
import { checkRoutes } from "./routes/checks.ts"
import { consentRoutes } from "./routes/consents.ts"
import { docsRoutes } from "./routes/docs.ts"
import { gitHookRoutes } from "./routes/git-hooks.ts"
import { gitHostRoutes } from "./routes/git-hosts.ts"
import { limitSettingsRoutes } from "./routes/limit-settings.ts"
import { mcpRoutes } from "./routes/mcp.ts"
import { metaRoutes } from "./routes/meta.ts"
import { mockSettingsRoutes } from "./routes/mock-settings.ts"
import { modelRoutes } from "./routes/models.ts"
import { previewRoutes } from "./routes/previews.ts"
import { projectRoutes } from "./routes/projects.ts"
import { questionRoutes } from "./routes/questions.ts"
import { runRoutes } from "./routes/runs.ts"
import { sessionEventRoutes } from "./routes/session-events.ts"
import { sessionRuleRoutes } from "./routes/session-rules.ts"
import { sessionRoutes } from "./routes/sessions.ts"
import { settingsRoutes } from "./routes/settings.ts"
import { streamRoutes } from "./routes/streams.ts"
import { isPageVisit, sendStudioPage, studioRoutes } from "./routes/studio.ts"
import { symbolRoutes } from "./routes/symbols.ts"
import { takeoverRoutes } from "./routes/takeover.ts"
import { taskRoutes } from "./routes/tasks.ts"
import { teamBoardRoutes } from "./routes/team-board.ts"
import { teamFileRoutes } from "./routes/team-files.ts"
import { teamTriggerRoutes } from "./routes/team-triggers.ts"
import { teamViewRoutes } from "./routes/team-views.ts"
import { teamRoutes } from "./routes/teams.ts"
import { terminalRoutes } from "./routes/terminals.ts"
import { trainRoutes } from "./routes/trains.ts"
import { uploadRoutes } from "./routes/uploads.ts"
import { usageRoutes } from "./routes/usage.ts"
import { verificationSettingsRoutes } from "./routes/verification-settings.ts"
import { webhookRoutes } from "./routes/webhooks.ts"
import { workBudgetRoutes } from "./routes/work-budgets.ts"
import { workflowRoutes } from "./routes/workflows.ts"
import { workspaceRoutes } from "./routes/workspace.ts"
import { workspaceSessionRoutes } from "./routes/workspace-sessions.ts"
import { worktreeReadRoutes } from "./routes/worktree-reads.ts"
import { worktreeRoutes } from "./routes/worktrees.ts"

/** Creates the complete HTTP app. */
export function createApp(deps: AppDeps): OpenAPIHono {
  const { config, report, stopping } = deps
  if (config.auth.mode === "open" && !isLoopback(config.host))
    throw new Error("AUTH_MODE=open requires a loopback HOST.")
  const errors = { report, stopping, verbose: config.verboseErrors }
  const respondWithError = (error: unknown, c: Context) => errorResponse(error, c, errors)
  const app = createRoutes()
  app.onError(respondWithError)
  app.notFound((c) => {
    const allowed = allowedMethods(app, c.req.path)
    // The studio has its own page for unknown addresses.
    if (allowed.length === 0 && deps.studio && isPageVisit(c)) return sendStudioPage(deps.studio, c)
    if (allowed.length === 0) return respondWithError(new AppError("not_found", "Not found."), c)
    c.header("Allow", allowed.join(", "))
    return respondWithError(new AppError("method_not_allowed", "Method not allowed.", { allowed }), c)
  })

  app.use(securityHeaders())
  app.use(requireValidHost())
  if (config.auth.mode === "open") app.use(requireLoopbackHost(config))
  app.use(allowOrigins(config))
  if (config.workspaceAuth === "key") app.use("/workspace/*", requireKey())
  app.use(authorize(deps))
  app.use(refuseUnknownParameters(app))
  app.use(readBody())

  for (const routes of [
    metaRoutes,
    accessRoutes,
    workflowRoutes,
    runRoutes,
    workspaceRoutes,
    workspaceSessionRoutes,
    sessionRoutes,
    sessionEventRoutes,
    streamRoutes,
    taskRoutes,
    agentRoutes,
    agentFileRoutes,
    chatRoutes,
    chatFileRoutes,
    chatCommitRoutes,
    chatContextRoutes,
    chatConversationRoutes,
    chatReviewRoutes,
    symbolRoutes,
    checkRoutes,
    trainRoutes,
    bakeOffRoutes,
    teamRoutes,
    teamViewRoutes,
    teamBoardRoutes,
    teamFileRoutes,
    teamTriggerRoutes,
    sessionRuleRoutes,
    questionRoutes,
    answerLinkRoutes,
    terminalRoutes,
    takeoverRoutes,
    worktreeReadRoutes,
    worktreeRoutes,
    artifactRoutes,
    uploadRoutes,
    previewRoutes,
    settingsRoutes,
    limitSettingsRoutes,
    mockSettingsRoutes,
    verificationSettingsRoutes,
    projectRoutes,
    usageRoutes,
    workBudgetRoutes,
    accountRoutes,
    consentRoutes,
    gitHostRoutes,
    gitHookRoutes,
    modelRoutes,
    archiveRoutes,
    webhookRoutes,
    mcpRoutes,
  ])
    app.route("/", routes(deps))
  app.route("/", docsRoutes(app, deps))
  app.route("/", studioRoutes(deps))
  if (deps.verifySignedBlob) app.route("/", blobRoutes(deps, deps.verifySignedBlob))
  return app
}
