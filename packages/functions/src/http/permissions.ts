import type { Principal, Scope } from "@switchyard/core/people/access/schema"
import type { Context } from "hono"
import { matchedRoutes } from "hono/route"
import { STUDIO_PATHS } from "./studio.ts"
import { teamPaths } from "./team-paths.ts"

/** `public`: no authentication. `any`: authentication. Else a scope of the caller's token. */
export type RequiredScope = "public" | "any" | Scope

const STUDIO = Object.fromEntries(STUDIO_PATHS.map((path) => [`GET ${path}`, "public" as const]))

/** Scopes of the endpoints for teams, by the method and the path after the id. */
const TEAM_SCOPES = {
  "POST ": "run",
  "GET ": "read",
  "GET /:id/board": "read",
  "GET /:id/messages": "read",
  "GET /:id/memory/search": "read",
  "POST /:id/send": "run",
  "POST /:id/nodes": "run",
  "POST /:id/nodes/:node/assign": "run",
  "POST /:id/nodes/:node/move": "run",
  "POST /:id/nodes/:node/retry": "run",
  "POST /:id/workers": "run",
  "POST /:id/pause": "run",
  "POST /:id/resume": "run",
  "POST /:id/stop": "run",
  "GET /:id": "read",
  "DELETE /:id": "run",
  "GET /:id/workers": "read",
  "GET /:id/board/:node": "read",
  "GET /:id/conversation": "read",
  "GET /:id/events": "read",
  "GET /:id/workspace": "read",
  "GET /:id/memory": "read",
  "GET /:id/tools": "read",
  "POST /:id/respond": "run",
} as const satisfies Record<string, Scope>

function ofTeams(): Record<string, Scope> {
  return Object.fromEntries(
    Object.entries(TEAM_SCOPES).flatMap(([name, scope]) => {
      const [method = "", suffix = ""] = name.split(" ")
      return teamPaths(suffix).map((path) => [`${method} ${path}`, scope] as const)
    }),
  )
}

/** Route for deliveries of repositories' hosts. The signature of the host authorizes a request. */
export const GIT_DELIVERY = "POST /api/v1/git-hooks/:hook/deliveries"

/** Required scopes of all routes. A missing route requires `admin`, and a test finds it. */
export const REQUIRED_SCOPE: Record<string, RequiredScope> = {
  "GET /health": "public",
  "GET /status": "public",
  "GET /prompts/schema": "public",
  "GET /v1/prompts/schema": "public",
  "GET /api/prompts": "public",
  "GET /v1/prompt-policy": "public",
  "GET /graph/schema": "public",
  "GET /config.json": "public",
  "GET /openapi.json": "public",
  "GET /api/docs": "public",
  ...STUDIO,
  "GET /assets/*": "public",
  "GET /:file{[a-z0-9-]+\\.(?:svg|ico|png|webmanifest|txt)}": "public",
  // The signature authorizes the reader.
  "GET /blobs/:key": "public",

  // The signature of a link to a question authorizes its reader.
  "GET /answer": "public",
  "POST /answer": "public",

  // Each tool requires the scope of the route that does the same.
  "POST /mcp": "any",

  "POST /login": "public",
  "POST /logout": "any",
  "GET /v1/me": "any",
  "POST /v1/tickets": "read",
  "GET /v1/tokens": "read",
  "POST /v1/tokens": "admin",
  "DELETE /v1/tokens/:id": "run",

  "POST /generate": "run",
  "POST /v1/workflows/run": "run",
  "POST /stream": "run",
  "POST /v1/workflows/stream": "run",

  "POST /v1/runs": "run",
  "GET /v1/runs": "read",
  "GET /v1/runs/:id": "read",
  "GET /v1/runs/:id/budget": "read",
  "PUT /v1/runs/:id/budget": "run",
  "GET /v1/runs/:id/stream": "read",
  "GET /v1/runs/:id/events": "read",
  "POST /v1/runs/:id/cancel": "run",
  "POST /v1/runs/:id/resume": "run",

  "POST /api/v1/sessions": "run",
  "GET /api/v1/sessions": "read",
  "GET /api/v1/search": "read",
  "GET /api/v1/sessions/:id": "read",
  "PATCH /api/v1/sessions/:id": "run",
  "DELETE /api/v1/sessions/:id": "run",
  "POST /api/v1/sessions/:id/cancel": "run",
  "POST /api/v1/sessions/:id/resume": "run",
  "GET /api/v1/sessions/:id/events": "read",
  "GET /api/v1/sessions/:id/stream": "read",
  "GET /api/v1/stream": "read",
  "GET /api/v1/sessions/:id/artifacts/:sha256": "read",
  "POST /api/v1/sessions/:id/uploads": "run",
  "GET /api/v1/sessions/:id/preview": "read",
  "POST /api/v1/sessions/:id/preview/server": "run",
  "DELETE /api/v1/sessions/:id/preview/server": "run",
  "POST /api/v1/sessions/:id/tasks": "run",
  "POST /api/v1/sessions/:id/checks": "run",
  "GET /api/v1/sessions/:id/checks/commands": "read",
  "PUT /api/v1/sessions/:id/checks/commands": "run",
  "GET /api/v1/sessions/:id/verification": "read",
  "PUT /api/v1/sessions/:id/verification": "run",
  "POST /api/v1/sessions/:id/chat": "run",
  "GET /api/v1/sessions/:id/chat": "read",
  "POST /api/v1/sessions/:id/chat/:request/cancel": "run",
  "POST /api/v1/sessions/:id/chat/:request/undo": "run",
  "GET /api/v1/sessions/:id/chat/stream": "read",
  "PUT /api/v1/sessions/:id/chat/selection": "run",
  "GET /api/v1/sessions/:id/chat/files": "read",
  "POST /api/v1/sessions/:id/chat/files": "run",
  "GET /api/v1/sessions/:id/chat/context": "read",
  "POST /api/v1/sessions/:id/chat/commit": "run",
  "POST /api/v1/sessions/:id/chat/reset": "run",
  "PUT /api/v1/sessions/:id/chat/system_extra": "run",
  "POST /api/v1/sessions/:id/chat/review": "run",
  "DELETE /api/v1/sessions/:id/chat/review": "run",
  "POST /api/v1/sessions/:id/chat/context/rebuild": "run",
  "POST /api/v1/sessions/:id/chat/urls": "run",
  "DELETE /api/v1/sessions/:id/chat/urls": "run",
  "GET /api/v1/sessions/:id/symbols": "read",
  "GET /api/v1/sessions/:id/symbols/map": "read",
  "GET /api/v1/sessions/:id/chat/forecast": "read",
  "GET /api/v1/sessions/:id/chat/sessions": "read",
  "GET /api/v1/sessions/:id/chat/search": "read",
  "POST /api/v1/sessions/:id/chat/new": "run",
  "POST /api/v1/sessions/:id/chat/load": "run",
  "POST /api/v1/sessions/:id/chat/rewind": "run",
  "POST /api/v1/sessions/:id/chat/fork": "run",
  "GET /api/v1/sessions/:id/agents": "read",
  "POST /api/v1/sessions/:id/agents": "run",
  "DELETE /api/v1/sessions/:id/agents": "run",
  "GET /api/v1/sessions/:id/agents/:agent": "read",
  "PATCH /api/v1/sessions/:id/agents/:agent": "run",
  "DELETE /api/v1/sessions/:id/agents/:agent": "run",
  "GET /api/v1/sessions/:id/agents/:agent/messages": "read",
  "POST /api/v1/sessions/:id/agents/:agent/messages": "run",
  "POST /api/v1/sessions/:id/agents/:agent/interrupt": "run",
  "GET /api/v1/sessions/:id/agents/:agent/wait": "read",
  "GET /api/v1/sessions/:id/agents/:agent/files": "read",
  "GET /api/v1/questions": "read",
  "GET /api/v1/sessions/:id/questions": "read",
  "POST /api/v1/sessions/:id/questions/:question/answer": "run",
  "POST /api/v1/sessions/:id/questions/:question/link": "run",
  "GET /api/v1/sessions/:id/tasks/:task": "read",
  "GET /api/v1/sessions/:id/worktree": "read",
  "GET /api/v1/sessions/:id/worktree/diff": "read",
  "GET /api/v1/sessions/:id/worktree/diff/full": "read",
  "GET /api/v1/sessions/:id/worktree/branches": "read",
  "GET /api/v1/sessions/:id/worktree/evidence": "read",
  "GET /api/v1/sessions/:id/worktree/conflicts": "read",
  "GET /api/v1/sessions/:id/worktree/commands/:command": "read",
  "GET /api/v1/sessions/:id/collisions": "read",
  "GET /api/v1/sessions/:id/budget": "read",
  "PUT /api/v1/sessions/:id/budget": "run",
  "GET /api/v1/sessions/:id/permissions": "read",
  "PUT /api/v1/sessions/:id/permissions": "run",
  ...ofTeams(),
  "GET /api/v1/teams/:id/triggers": "read",
  "POST /api/v1/teams/:id/triggers": "run",
  "DELETE /api/v1/teams/:id/triggers/:trigger": "run",
  // The signature in the link authorizes it.
  "POST /hooks/:token": "public",
  "POST /api/v1/sessions/:id/bake-offs": "run",
  "GET /api/v1/sessions/:id/bake-offs": "read",
  "GET /api/v1/sessions/:id/bake-offs/:bake_off": "read",
  "POST /api/v1/sessions/:id/bake-offs/:bake_off/settle": "run",
  "POST /api/v1/sessions/:id/merge-trains": "run",
  "GET /api/v1/sessions/:id/merge-trains/:run": "read",
  "POST /api/v1/sessions/:id/worktree": "run",
  "POST /api/v1/sessions/:id/worktree/merge": "run",
  "POST /api/v1/sessions/:id/worktree/update": "run",
  "POST /api/v1/sessions/:id/worktree/resolve-conflicts": "run",
  "POST /api/v1/sessions/:id/worktree/complete-merge": "run",
  "POST /api/v1/sessions/:id/worktree/abort-merge": "run",
  "POST /api/v1/sessions/:id/worktree/undo-merge": "run",
  "POST /api/v1/sessions/:id/worktree/reset": "run",
  "POST /api/v1/sessions/:id/worktree/push": "run",
  "POST /api/v1/sessions/:id/worktree/pull-request": "run",
  "POST /api/v1/sessions/:id/worktree/shell": "run",
  "POST /api/v1/sessions/:id/worktree/ask-agent": "run",
  "POST /api/v1/sessions/:id/worktree/confirm-deletions": "run",
  "DELETE /api/v1/sessions/:id/worktree": "run",
  "GET /api/v1/sessions/:id/terminals": "read",
  "GET /api/v1/sessions/:id/terminals/:pty/stream": "read",
  "GET /api/v1/sessions/:id/terminals/:pty/recording": "read",
  "POST /api/v1/sessions/:id/terminals/:pty/input": "run",
  "POST /api/v1/sessions/:id/terminals/:pty/resize": "run",
  "POST /api/v1/sessions/:id/input": "run",
  "POST /api/v1/sessions/:id/resize": "run",
  "POST /api/v1/sessions/:id/messages": "run",
  "POST /api/v1/sessions/:id/take-over": "run",
  "POST /api/v1/sessions/:id/hand-back": "run",
  "GET /api/v1/sessions/:id/milestones": "read",
  "GET /api/v1/sessions/:id/conversation": "read",

  "GET /api/v1/config/preferences": "read",
  "PUT /api/v1/config/preferences": "run",
  "GET /api/v1/config/permissions": "read",
  "PUT /api/v1/config/permissions": "run",
  "GET /api/v1/config/repositories": "read",
  "PUT /api/v1/config/repositories": "run",
  "GET /api/v1/config/budget": "read",
  "PUT /api/v1/config/budget": "run",
  "GET /api/v1/config/action-settings": "read",
  "PUT /api/v1/config/action-settings": "run",
  "GET /api/v1/config/provider-fallback-order": "read",
  "PUT /api/v1/config/provider-fallback-order": "run",
  "GET /api/v1/config/mock-remaining-usage/:account": "read",
  "PUT /api/v1/config/mock-remaining-usage": "run",
  "GET /api/v1/config/mock-context-remaining/:account": "read",
  "PUT /api/v1/config/mock-context-remaining": "run",
  "GET /api/v1/config/mock-run-duration/:account": "read",
  "PUT /api/v1/config/mock-run-duration": "run",
  "GET /api/v1/config/usage-switch-threshold": "read",
  "PUT /api/v1/config/usage-switch-threshold": "run",
  "GET /api/v1/config/context-switch-threshold": "read",
  "PUT /api/v1/config/context-switch-threshold": "run",
  "GET /api/v1/config/cleanup": "read",
  "PUT /api/v1/config/cleanup": "run",
  "GET /api/v1/config/snippets": "read",
  "PUT /api/v1/config/snippets": "run",
  "GET /api/v1/config/verification": "read",
  "PUT /api/v1/config/verification": "run",
  "GET /api/v1/config/verification-agent": "read",
  "PUT /api/v1/config/verification-agent": "run",
  "GET /api/v1/config/preferred-verification-model": "read",
  "PUT /api/v1/config/preferred-verification-model": "run",
  "GET /api/v1/config/max-verification-attempts": "read",
  "PUT /api/v1/config/max-verification-attempts": "run",
  "GET /api/v1/config/projects": "read",
  "GET /api/v1/config/project": "read",
  "PUT /api/v1/config/project": "run",
  "DELETE /api/v1/config/project": "run",
  "POST /api/v1/config/project/autoconfigure": "run",
  "GET /api/v1/config/prompt-previews": "read",
  "GET /api/v1/config/export": "read",
  "POST /api/v1/config/import": "run",

  "GET /api/v1/webhooks": "read",
  "POST /api/v1/webhooks": "run",
  "DELETE /api/v1/webhooks/:webhook": "run",
  "GET /api/v1/webhooks/:webhook/deliveries": "read",

  "GET /v1/models": "read",
  "GET /v1/models/:provider": "read",

  "GET /api/v1/providers": "read",
  "GET /api/v1/accounts": "read",
  "POST /api/v1/accounts": "run",
  "GET /api/v1/accounts/:name": "read",
  "PUT /api/v1/accounts/:name/model": "run",
  "PUT /api/v1/accounts/:name/key": "run",
  "PUT /api/v1/accounts/:name/login": "run",
  "POST /api/v1/accounts/:name/login": "run",
  "PUT /api/v1/accounts/:name/role": "run",
  "GET /api/v1/accounts/:name/models": "read",
  "PUT /api/v1/accounts/:name/reasoning": "run",
  "DELETE /api/v1/accounts/:name": "run",
  "GET /api/v1/accounts/:name/usage": "read",
  "GET /api/v1/usage": "read",
  "GET /api/v1/usage.csv": "read",

  "GET /api/v1/git-hooks": "read",
  "POST /api/v1/git-hooks": "run",
  "DELETE /api/v1/git-hooks/:hook": "run",
  [GIT_DELIVERY]: "public",

  "GET /api/v1/consents": "read",
  "DELETE /api/v1/consents/:id": "run",

  "GET /api/v1/git-hosts": "read",
  "PUT /api/v1/git-hosts/:host": "run",
  "DELETE /api/v1/git-hosts/:host": "run",

  "GET /workspace/tree": "read",
  "GET /workspace/files": "read",
  "GET /workspace/file": "read",
  "PUT /workspace/file": "run",
  "DELETE /workspace/path": "run",
  "DELETE /workspace/file": "run",
  "PUT /workspace/archive": "run",
  "POST /workspace/folder": "run",
  "POST /workspace/rename": "run",
  "POST /workspace/session": "run",
  "POST /workspace/session/:id/touch": "run",
  "POST /workspace/session/touch": "run",
  "DELETE /workspace/session/:id": "run",
  "DELETE /workspace/session": "run",
  "GET /workspace/download": "read",
  "GET /workspace/archives/:archive": "read",
}

/**
 * The routes that can weaken a protection of the caller's owner, and the scope for that. Their own scope only tightens one.
 * On all other routes, and by a link, nobody weakens one.
 */
export const LOOSENING_SCOPE: Record<string, Scope> = {
  "PUT /api/v1/config/budget": "admin",
  "PUT /api/v1/sessions/:id/budget": "admin",
  "PUT /v1/runs/:id/budget": "admin",
  "PUT /api/v1/config/permissions": "admin",
  "PUT /api/v1/sessions/:id/permissions": "admin",
  "PUT /api/v1/config/repositories": "admin",
  "PUT /api/v1/config/project": "admin",
  "DELETE /api/v1/config/project": "admin",
  "PUT /api/v1/config/verification": "admin",
  "PUT /api/v1/config/verification-agent": "admin",
  "PUT /api/v1/config/preferred-verification-model": "admin",
  "PUT /api/v1/sessions/:id/verification": "admin",
  "PUT /api/v1/sessions/:id/checks/commands": "admin",
  "POST /api/v1/config/import": "admin",
  "PUT /api/v1/accounts/:name/role": "admin",
  "DELETE /api/v1/accounts/:name": "admin",
  // An answer can raise a budget, or allow for the session what a rule asks about.
  "POST /api/v1/sessions/:id/questions/:question/answer": "admin",
  ...Object.fromEntries(teamPaths("/:id/respond").map((path) => [`POST ${path}`, "admin" as const])),
  // Requests that give consent, or ask for less than what is set.
  "POST /v1/runs": "admin",
  "POST /generate": "admin",
  "POST /stream": "admin",
  "POST /v1/workflows/run": "admin",
  "POST /v1/workflows/stream": "admin",
  "POST /api/v1/sessions/:id/tasks": "admin",
  "POST /api/v1/sessions/:id/worktree/ask-agent": "admin",
  "POST /api/v1/sessions/:id/checks": "admin",
  "POST /api/v1/sessions/:id/agents": "admin",
  "PATCH /api/v1/sessions/:id/agents/:agent": "admin",
  "POST /api/v1/sessions/:id/bake-offs": "admin",
  "POST /api/v1/sessions/:id/merge-trains": "admin",
  "POST /api/v1/sessions/:id/preview/server": "admin",
  ...Object.fromEntries(teamPaths("").map((path) => [`POST ${path}`, "admin" as const])),
}

export type RateLimitName = "runs" | "archives"

/** Routes that cost money, with their rate limits. */
export const RATE_LIMITS: Record<string, RateLimitName> = {
  "POST /generate": "runs",
  "POST /v1/workflows/run": "runs",
  "POST /stream": "runs",
  "POST /v1/workflows/stream": "runs",
  "POST /v1/runs": "runs",
  "POST /api/v1/sessions/:id/tasks": "runs",
  "POST /api/v1/sessions/:id/worktree/ask-agent": "runs",
  "POST /api/v1/sessions/:id/agents": "runs",
  "POST /api/v1/sessions/:id/agents/:agent/messages": "runs",
  "POST /api/v1/sessions/:id/chat": "runs",
  "POST /api/v1/sessions/:id/chat/commit": "runs",
  "POST /api/v1/sessions/:id/checks": "runs",
  "POST /api/v1/sessions/:id/merge-trains": "runs",
  "POST /api/v1/sessions/:id/bake-offs": "runs",
  "POST /api/v1/teams": "runs",
  "POST /api/v1/accounts/:name/login": "runs",
  "POST /agents": "runs",
  "POST /api/v1/sessions/:id/preview/server": "runs",
  "GET /workspace/download": "archives",
}

/** Returns the required scope of a request. If no route serves it, every caller may learn that. */
export function requiredScope(c: Context): RequiredScope {
  const route = routeOf(c)
  return route === undefined ? "public" : (REQUIRED_SCOPE[route] ?? "admin")
}

/** Returns whether a caller with these scopes may weaken a protection of their owner on this route. */
export function mayLoosen({ scopes }: Pick<Principal, "scopes">, route: string | undefined): boolean {
  const scope = route === undefined ? undefined : LOOSENING_SCOPE[route]
  return scope !== undefined && scopes.includes(scope)
}

/** Returns the name of the route that serves this request, if there is one. */
export function routeOf(c: Context): string | undefined {
  // Middleware is for all methods. The first route serves the request.
  const route = matchedRoutes(c).find(({ method }) => method !== "ALL")
  return route && `${route.method} ${route.path}`
}
