import { AppError } from "@switchyard/core/errors"
import type { Principal } from "@switchyard/core/people/access/schema"
import { isEqual } from "@switchyard/core/people/access/secrets"
import type { Context, MiddlewareHandler } from "hono"
import { LOCAL_PRINCIPAL } from "../access.ts"
import type { AppDeps } from "../deps.ts"
import { loginCookie } from "./cookie.ts"
import { mayRead, SAFE_METHODS } from "./guards.ts"
import { RATE_LIMITS, type RateLimitName, requiredScope, routeOf } from "./permissions.ts"

/** Authenticates the caller, checks the scope and the rate limit of the route, and sets `principal` for the routes. */
export function authorize(deps: AppDeps): MiddlewareHandler {
  return async (c, next) => {
    const scope = requiredScope(c)
    if (scope !== "public") {
      const { principal, csrfToken } = await authenticate(deps, c)
      if (scope !== "any" && !principal.scopes.includes(scope)) {
        throw new AppError("forbidden", `This requires a token with the scope \`${scope}\`.`, { scope })
      }
      c.set("principal", principal)
      c.set("csrfToken", csrfToken)
      await applyRateLimit(deps, c, RATE_LIMITS[routeOf(c) ?? ""], principal)
    }
    await next()
  }
}

/** The one error of a failed authentication, whatever was wrong with the credentials. */
export function unauthorized(c: Context): AppError {
  c.header("WWW-Authenticate", "Bearer")
  return new AppError("unauthorized", "A valid token is required: send `Authorization: Bearer …`.")
}

/** Throws `rate_limited` once `key` has used up its requests of this minute. */
export async function rateLimit(
  { access, stopping }: AppDeps,
  c: Context,
  rate: { name: string; perMinute: number },
  key: string,
): Promise<void> {
  const wait = await access.rateLimiter.take(rate, key, { signal: stopping })
  if (wait === 0) return
  c.header("Retry-After", String(wait))
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
  // A header is set on purpose, a cookie is sent by itself. So the header counts, even if it is wrong.
  if (bearer !== undefined) {
    const verified = await access.tokens.verify(bearer, options)
    if (!verified) throw unauthorized(c)
    return verified
  }
  const secret = loginCookie(c)
  const login = secret === undefined ? undefined : await access.logins.find(secret, options)
  if (!login) throw unauthorized(c)
  if (!SAFE_METHODS.includes(c.req.method)) checkCsrf(c, login.csrfToken)
  else if (!mayRead(config, c)) throw new AppError("forbidden", "Other pages can't load this.")
  return login
}

/**
 * A browser attaches its cookie to every request that any page makes. `SameSite=Strict` keeps that to pages of the same
 * site, but other ports of this machine and other names of the domain are the same site. So a change needs a header that
 * only a page that could read our answers knows how to set: the value is made from the login's secret, so another's
 * doesn't fit, and a header of one's own makes a browser ask us first, and we refuse. What comes with a bearer token
 * needs none, for no browser sends that by itself.
 */
function checkCsrf(c: Context, csrfToken: string): void {
  if (isEqual(c.req.header("x-csrf-token") ?? "", csrfToken)) return
  throw new AppError("forbidden", "Send the csrf_token of /v1/me in the X-CSRF-Token header.")
}

async function applyRateLimit(deps: AppDeps, c: Context, name: RateLimitName | undefined, { owner }: Principal) {
  const perMinute = name && deps.config.perMinute[name]
  if (perMinute) await rateLimit(deps, c, { name, perMinute }, owner)
}
