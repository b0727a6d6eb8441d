import { AppError } from "@switchyard/core/errors"
import type { Principal } from "@switchyard/core/people/access/schema"
import { isSame } from "@switchyard/core/people/access/secrets"
import type { Context, MiddlewareHandler } from "hono"
import { ANYONE } from "../access.ts"
import type { AppDeps } from "../deps.ts"
import { loginCookie } from "./cookie.ts"
import { COSTS, NEEDS, routeOf } from "./needs.ts"

/** Lets in who may be where they ask to be, as often as they may, and tells the routes who it is. */
export function admit(deps: AppDeps): MiddlewareHandler {
  return async (c, next) => {
    const route = routeOf(c)
    const need = route === undefined ? "public" : (NEEDS[route] ?? "admin")
    if (need !== "public") {
      const { principal, csrfToken } = await callerOf(deps, c)
      if (need !== "any" && !principal.scopes.includes(need)) {
        throw new AppError("forbidden", `This takes a token with the scope \`${need}\`.`, { scope: need })
      }
      c.set("principal", principal)
      c.set("csrfToken", csrfToken)
      await pay(deps, c, COSTS[route ?? ""], principal)
    }
    await next()
  }
}

/** The one answer to whoever can't say who they are, whatever is wrong with what they say. */
export function unauthorized(c: Context): AppError {
  c.header("WWW-Authenticate", "Bearer")
  return new AppError("unauthorized", "This takes a valid token, as `Authorization: Bearer …`.")
}

/** Throws `rate_limited` unless `who` has a turn left. */
export async function takeTurn(
  { access, stopping }: AppDeps,
  c: Context,
  rate: { name: string; perMinute: number },
  who: string,
): Promise<void> {
  const wait = await access.take(rate, who, { signal: stopping })
  if (wait === 0) return
  c.header("Retry-After", String(wait))
  throw new AppError("rate_limited", `Too many requests: try again in ${wait} s.`, { retry_after_seconds: wait })
}

interface Caller {
  principal: Principal
  csrfToken?: string
}

async function callerOf({ config, access, stopping }: AppDeps, c: Context): Promise<Caller> {
  if (config.auth.mode === "open") return { principal: ANYONE }
  const options = { signal: stopping }
  const bearer = /^Bearer\b *(.*)$/i.exec(c.req.header("authorization") ?? "")?.[1]
  // A header says what a program means; a cookie comes by itself. So the header counts, even if it is wrong.
  if (bearer !== undefined) {
    const standing = await access.tokens.verify(bearer, options)
    if (!standing) throw unauthorized(c)
    return standing
  }
  const secret = loginCookie(c)
  const login = secret === undefined ? undefined : await access.logins.find(secret, options)
  if (!login) throw unauthorized(c)
  if (!SAFE.includes(c.req.method)) checkCsrf(c, login.csrfToken)
  return login
}

const SAFE = ["GET", "HEAD"]

/**
 * A browser sends its cookie along with whatever any page makes it ask. `SameSite=Strict` keeps that to pages of the same
 * site, but other ports of this machine and other names of the domain are the same site. So a change needs a header that
 * only a page that could read our answers knows how to set: the value is made from the login's secret, so another's
 * doesn't fit, and a header of one's own makes a browser ask us first, and we refuse. What comes with a bearer token
 * needs none, for no browser sends that by itself.
 */
function checkCsrf(c: Context, csrfToken: string): void {
  if (isSame(c.req.header("x-csrf-token") ?? "", csrfToken)) return
  throw new AppError("forbidden", "Send the csrf_token of /v1/me in the X-CSRF-Token header.")
}

async function pay(deps: AppDeps, c: Context, cost: "runs" | "archives" | undefined, { owner }: Principal) {
  const perMinute = cost && deps.config.perMinute[cost]
  if (perMinute) await takeTurn(deps, c, { name: cost, perMinute }, owner)
}
