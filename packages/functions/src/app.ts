import type { OpenAPIHono } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { Context } from "hono"
import type { AppDeps } from "./deps.ts"
import { authorize } from "./http/authorize.ts"
import { readBody } from "./http/body.ts"
import { errorResponse } from "./http/errors.ts"
import {
  allowOrigins,
  requireKey,
  requireKnownRelease,
  requireLoopbackHost,
  requireValidHost,
  securityHeaders,
} from "./http/guards.ts"
import { isLoopback } from "./http/loopback.ts"
import { refuseUnknownParameters } from "./http/query.ts"
import { allowedMethods, createRoutes } from "./http/routing.ts"
import { nameUnknownFields } from "./http/unknown-fields.ts"
import { agentFileRoutes } from "./routes/agents/agent-files.ts"
import { agentRoutes } from "./routes/agents/agents.ts"
import { answerLinkRoutes } from "./routes/agents/answer-links.ts"
import { nativeSessionRoutes } from "./routes/agents/native-sessions.ts"
import { questionRoutes } from "./routes/agents/questions.ts"
import { takeoverRoutes } from "./routes/agents/takeover.ts"
import { taskRoutes } from "./routes/agents/tasks.ts"
import { terminalRoutes } from "./routes/agents/terminals.ts"
import { chatRoutes } from "./routes/chat/chat.ts"
import { chatCommitRoutes } from "./routes/chat/chat-commits.ts"
import { chatContextRoutes } from "./routes/chat/chat-context.ts"
import { chatConversationRoutes } from "./routes/chat/chat-conversations.ts"
import { chatFileRoutes } from "./routes/chat/chat-files.ts"
import { chatReviewRoutes } from "./routes/chat/chat-reviews.ts"
import { symbolRoutes } from "./routes/chat/symbols.ts"
import { accessRoutes } from "./routes/people/access.ts"
import { accountRoutes } from "./routes/people/accounts.ts"
import { agentSetupRoutes } from "./routes/people/agent-setups.ts"
import { consentRoutes } from "./routes/people/consents.ts"
import { gitHookRoutes } from "./routes/people/git-hooks.ts"
import { gitHostRoutes } from "./routes/people/git-hosts.ts"
import { keyRoutes } from "./routes/people/keys.ts"
import { usageRoutes } from "./routes/people/usage.ts"
import { webhookRoutes } from "./routes/people/webhooks.ts"
import { bakeOffRoutes } from "./routes/runs/bake-offs.ts"
import { checkRoutes } from "./routes/runs/checks.ts"
import { runRoutes } from "./routes/runs/runs.ts"
import { trainRoutes } from "./routes/runs/trains.ts"
import { workBudgetRoutes } from "./routes/runs/work-budgets.ts"
import { workflowRoutes } from "./routes/runs/workflows.ts"
import { docsRoutes } from "./routes/server/docs.ts"
import { mcpRoutes } from "./routes/server/mcp.ts"
import { metaRoutes } from "./routes/server/meta.ts"
import { modelRoutes } from "./routes/server/models.ts"
import { isPageVisit, sendStudioPage, studioRoutes } from "./routes/server/studio.ts"
import { appRoutes } from "./routes/sessions/apps.ts"
import { artifactRoutes } from "./routes/sessions/artifacts.ts"
import { previewRoutes } from "./routes/sessions/previews.ts"
import { pushRoutes } from "./routes/sessions/pushes.ts"
import { sessionEventRoutes } from "./routes/sessions/session-events.ts"
import { sessionRuleRoutes } from "./routes/sessions/session-rules.ts"
import { sessionRoutes } from "./routes/sessions/sessions.ts"
import { streamRoutes } from "./routes/sessions/streams.ts"
import { uploadRoutes } from "./routes/sessions/uploads.ts"
import { versionRoutes } from "./routes/sessions/versions.ts"
import { limitSettingsRoutes } from "./routes/settings/limit-settings.ts"
import { mockSettingsRoutes } from "./routes/settings/mock-settings.ts"
import { projectRoutes } from "./routes/settings/projects.ts"
import { settingsRoutes } from "./routes/settings/settings.ts"
import { verificationSettingsRoutes } from "./routes/settings/verification-settings.ts"
import { teamBoardRoutes } from "./routes/teams/team-board.ts"
import { teamFileRoutes } from "./routes/teams/team-files.ts"
import { teamTriggerRoutes } from "./routes/teams/team-triggers.ts"
import { teamViewRoutes } from "./routes/teams/team-views.ts"
import { teamRoutes } from "./routes/teams/teams.ts"
import { archiveRoutes } from "./routes/workspaces/archives.ts"
import { blobRoutes } from "./routes/workspaces/blobs.ts"
import { workspaceRoutes } from "./routes/workspaces/workspace.ts"
import { workspaceSessionRoutes } from "./routes/workspaces/workspace-sessions.ts"
import { worktreeReadRoutes } from "./routes/worktrees/worktree-reads.ts"
import { worktreeRoutes } from "./routes/worktrees/worktrees.ts"

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
    // Browsers get the studio's page for unknown addresses.
    if (allowed.length === 0 && deps.studio && isPageVisit(c)) return sendStudioPage(deps.studio, c)
    if (allowed.length === 0) return respondWithError(new AppError("not_found", "Not found."), c)
    c.header("Allow", allowed.join(", "))
    return respondWithError(new AppError("method_not_allowed", "Method not allowed.", { allowed }), c)
  })

  app.use(securityHeaders())
  app.use(requireKnownRelease())
  app.use(requireValidHost())
  if (config.auth.mode === "open") app.use(requireLoopbackHost(config))
  app.use(allowOrigins(config))
  if (config.workspaceAuth === "key") app.use("/workspace/*", requireKey())
  app.use(authorize(deps))
  app.use(refuseUnknownParameters(app))
  app.use(readBody())
  app.use(nameUnknownFields(app))

  for (const routes of [
    metaRoutes,
    accessRoutes,
    workflowRoutes,
    runRoutes,
    workspaceRoutes,
    workspaceSessionRoutes,
    sessionRoutes,
    sessionEventRoutes,
    versionRoutes,
    streamRoutes,
    taskRoutes,
    agentRoutes,
    agentFileRoutes,
    nativeSessionRoutes,
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
    appRoutes,
    artifactRoutes,
    uploadRoutes,
    previewRoutes,
    pushRoutes,
    settingsRoutes,
    limitSettingsRoutes,
    mockSettingsRoutes,
    verificationSettingsRoutes,
    projectRoutes,
    usageRoutes,
    workBudgetRoutes,
    accountRoutes,
    keyRoutes,
    agentSetupRoutes,
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
