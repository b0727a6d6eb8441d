import { AppError } from "@switchyard/core/errors"
import type { Principal } from "@switchyard/core/people/access/schema"
import { isEqual } from "@switchyard/core/people/access/secrets"
import type { Context, MiddlewareHandler } from "hono"
import { LOCAL_PRINCIPAL } from "../access.ts"
import type { AppDeps } from "../deps.ts"
import { loginCookie } from "./cookie.ts"
import { mayRead, SAFE_METHODS } from "./guards.ts"
import { RATE_LIMITS, type RequiredScope, requiredScope, routeOf, scopeOf } from "./permissions.ts"

/** Authenticates the caller, checks the route's scope and rate limit, and sets `principal` for the routes. */
export function authorize(deps: AppDeps): MiddlewareHandler {
  return async (c, next) => {
    const scope = requiredScope(c)
    if (scope !== "public") {
      const { principal, csrfToken } = await authenticate(deps, c)
      deps.onCaller?.(principal)
      requireScope(principal, scope)
      c.set("principal", principal)
      c.set("csrfToken", csrfToken)
      await applyRateLimit(deps, routeOf(c) ?? "", principal)
    }
    await next()
  }
}

/** Checks the caller's scope and rate limit for a route. Used by MCP tools, which do the same work as a route. */
export async function authorizeAs(deps: AppDeps, route: string, principal: Principal): Promise<void> {
  requireScope(principal, scopeOf(route))
  await applyRateLimit(deps, route, principal)
}

/** Returns the error for failed authentication. The error is the same for every kind of invalid credential. */
export function unauthorized(c: Context): AppError {
  c.header("WWW-Authenticate", "Bearer")
  return new AppError("unauthorized", "A valid token is required: send `Authorization: Bearer …`.")
}

/** Throws `rate_limited` if `key` has used up its requests for this minute. */
export async function rateLimit(
  { access, stopping }: AppDeps,
  rate: { name: string; perMinute: number },
  key: string,
): Promise<void> {
  const wait = await access.rateLimiter.take(rate, key, { signal: stopping })
  if (wait === 0) return
  throw new AppError("rate_limited", `Too many requests. Try again in ${wait} s.`, { retry_after_seconds: wait })
}

interface Caller {
  principal: Principal
  csrfToken?: string
}

async function authenticate({ config, access, stopping }: AppDeps, c: Context): Promise<Caller> {
  if (config.auth.mode === "open") return { principal: LOCAL_PRINCIPAL }
  const options = { signal: stopping }
  const bearer = /^Bearer\b *([^ ].*|)$/i.exec(c.req.header("authorization") ?? "")?.[1]
  // If a request has both, the header takes precedence, even if its token is wrong: clients set a header on purpose,
  // but browsers send cookies automatically.
  if (bearer !== undefined) {
    const verified = await access.tokens.verify(bearer, options)
    if (!verified) throw unauthorized(c)
    return verified
  }
  const secret = loginCookie(c)
  const login = secret === undefined ? undefined : await access.logins.find(secret, options)
  if (!login) throw unauthorized(c)
  if (!SAFE_METHODS.includes(c.req.method)) checkCsrf(c, login.csrfToken)
  else if (!mayRead(config, c)) throw new AppError("forbidden", "Other sites can't load this.")
  return login
}

/**
 * Requires the CSRF token. Browsers send the cookie with requests from any page. `SameSite=Strict` restricts the cookie
 * to pages of the same site, but these pages include other ports of this machine and other names in the domain.
 * Therefore, a request that changes something needs a header that only our own pages can set. The header's value is
 * derived from the login's secret, so a token from another login doesn't match. A custom header also makes browsers
 * send a preflight request first, which we refuse. Requests with a bearer token don't need the CSRF header, because
 * browsers never send a bearer token automatically.
 */
function checkCsrf(c: Context, csrfToken: string): void {
  if (isEqual(c.req.header("x-csrf-token") ?? "", csrfToken)) return
  throw new AppError("forbidden", "Send the csrf_token from /v1/me in the X-CSRF-Token header.")
}

function requireScope({ scopes }: Principal, scope: RequiredScope): void {
  if (scope === "public" || scope === "any" || scopes.includes(scope)) return
  throw new AppError("forbidden", `This requires a token with the scope \`${scope}\`.`, { scope })
}

async function applyRateLimit(deps: AppDeps, route: string, { owner }: Principal): Promise<void> {
  const name = RATE_LIMITS[route]
  const perMinute = name && deps.config.perMinute[name]
  if (perMinute) await rateLimit(deps, { name, perMinute }, owner)
}
