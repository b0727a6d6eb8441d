import type { Principal, Scope } from "@switchyard/core/people/access/schema"
import type { Context } from "hono"
import { matchedRoutes } from "hono/route"
import { STUDIO_PATHS } from "./studio.ts"
import { teamPaths } from "./team-paths.ts"

/**
 * `public`: no authentication. `any`: any authenticated caller. Otherwise, a scope that the caller's token must have.
 */
export type RequiredScope = "public" | "any" | Scope

/** Route for deliveries from git hosts. Requests are authorized by the host's signature. */
export const GIT_DELIVERY = "POST /api/v1/git-hooks/:hook/deliveries"

/** Route for uploads of images, which may be larger than other bodies. */
export const UPLOAD = "POST /api/v1/sessions/:id/uploads"

/** Scopes of routes that don't use the default scope for their method. */
const UNUSUAL_SCOPES: Record<string, RequiredScope> = {
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
  ...Object.fromEntries(STUDIO_PATHS.map((path) => [`GET ${path}`, "public" as const])),
  "GET /assets/*": "public",
  "GET /:file{[a-z0-9-]+\\.(?:svg|ico|png|webmanifest|txt)}": "public",
  // These requests are authorized by a signature.
  "GET /blobs/:key": "public",
  "GET /answer": "public",
  "POST /answer": "public",
  "POST /hooks/:token": "public",
  [GIT_DELIVERY]: "public",

  // Each MCP tool requires the scope of its equivalent route.
  "POST /mcp": "any",

  "POST /login": "public",
  "POST /logout": "any",
  "GET /v1/me": "any",
  "POST /v1/tickets": "read",
  "POST /v1/tokens": "admin",
  "GET /api/v1/owners": "admin",
  "GET /api/v1/agent-setups": "admin",
  "PUT /api/v1/agent-setups/:cli": "admin",
  // These routes reach into the home of the person who runs the server.
  "GET /api/v1/native-sessions": "admin",
  "POST /api/v1/sessions/:id/agents/:agent/own-terminal": "admin",
}

/** Returns the scope that a route requires: by default `read` for GET and `run` for other methods. */
export function scopeOf(route: string): RequiredScope {
  return UNUSUAL_SCOPES[route] ?? (route.startsWith("GET ") ? "read" : "run")
}

/**
 * Routes on which callers with the scope `admin` can weaken their owner's protection. Callers without this scope can
 * only strengthen protection. All other routes, and links, can't weaken protection.
 */
export const LOOSENING_ROUTES: ReadonlySet<string> = new Set([
  "PUT /api/v1/config/budget",
  "PUT /api/v1/sessions/:id/budget",
  "PUT /v1/runs/:id/budget",
  "PUT /api/v1/config/permissions",
  "PUT /api/v1/sessions/:id/permissions",
  "PUT /api/v1/config/repositories",
  "PUT /api/v1/config/project",
  "DELETE /api/v1/config/project",
  "PUT /api/v1/config/verification",
  "PUT /api/v1/config/verification-agent",
  "PUT /api/v1/config/preferred-verification-model",
  "PUT /api/v1/sessions/:id/verification",
  "PUT /api/v1/sessions/:id/checks/commands",
  "POST /api/v1/config/import",
  "PUT /api/v1/accounts/:name/role",
  "DELETE /api/v1/accounts/:name",
  "DELETE /api/v1/keys/:provider",
  // An answer can raise a budget, or can permit an action for the whole session that a rule would ask about.
  "POST /api/v1/sessions/:id/questions/:question/answer",
  ...teamPaths("/:id/respond").map((path) => `POST ${path}`),
  // These requests can give consent, or ask for less protection than the settings provide.
  "POST /v1/runs",
  "POST /generate",
  "POST /stream",
  "POST /v1/workflows/run",
  "POST /v1/workflows/stream",
  "POST /api/v1/sessions/:id/tasks",
  "POST /api/v1/sessions/:id/worktree/ask-agent",
  "POST /api/v1/sessions/:id/checks",
  "POST /api/v1/sessions/:id/agents",
  "PATCH /api/v1/sessions/:id/agents/:agent",
  "POST /api/v1/sessions/:id/bake-offs",
  "POST /api/v1/sessions/:id/merge-trains",
  "POST /api/v1/sessions/:id/preview/server",
  ...teamPaths("").map((path) => `POST ${path}`),
])

export type RateLimitName = "runs" | "archives"

/** Rate limits of the routes that cost money. */
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
  "POST /api/v1/sessions/:id/app": "archives",
  "POST /api/v1/sessions/:id/push": "archives",
}

/**
 * Returns the scope required for a request. Returns `public` if no route serves the request, because it is no secret
 * which paths exist.
 */
export function requiredScope(c: Context): RequiredScope {
  const route = routeOf(c)
  return route === undefined ? "public" : scopeOf(route)
}

/** True if a caller with these scopes may weaken their owner's protection on this route. */
export function mayLoosen({ scopes }: Pick<Principal, "scopes">, route: string | undefined): boolean {
  return route !== undefined && LOOSENING_ROUTES.has(route) && scopes.includes("admin")
}

/** Returns the name of the route that serves this request, if there is one. */
export function routeOf(c: Context): string | undefined {
  // Middleware is registered for all methods. The first match that isn't middleware is the route that serves the
  // request.
  const route = matchedRoutes(c).find(({ method }) => method !== "ALL")
  return route && `${route.method} ${route.path}`
}
