import { isIPv4 } from "node:net"
import { AppError } from "@switchyard/core/errors"
import type { MiddlewareHandler } from "hono"
import { cors } from "hono/cors"
import type { Config } from "../config.ts"

/** Answers browsers of other origins as configured. */
export function allowOrigins({ cors: allowed }: Config): MiddlewareHandler {
  return cors({
    origin: (origin) => (isAllowedOrigin(origin, allowed) ? origin : null),
    credentials: allowed.credentials,
    allowHeaders: ["Content-Type", "Authorization", "X-API-KEY", "X-Workspace-ID", "Idempotency-Key", "Last-Event-ID"],
    allowMethods: ["GET", "POST", "PUT", "DELETE", "OPTIONS"],
    exposeHeaders: ["X-Run-ID"],
    maxAge: 600,
  })
}

/** Refuses a request whose `Host` isn't valid: parsing its URL would throw later. */
export function requireValidHost(): MiddlewareHandler {
  return async (c, next) => {
    if (!URL.canParse(c.req.url)) throw new AppError("validation_error", "The Host header is not valid.")
    await next()
  }
}

/**
 * Any web page can reach 127.0.0.1, and any name can be made to resolve to it. So a server without log-in accepts only
 * requests with a loopback name as their host, and only from its own pages and allowed origins.
 */
export function requireLoopbackHost(config: Config): MiddlewareHandler {
  return async (c, next) => {
    const host = c.req.header("host") ?? ""
    if (!isLoopbackName(host)) {
      throw new AppError("forbidden", "This server only accepts requests for localhost, 127.0.0.1 and [::1].", {
        host: host.slice(0, 200),
      })
    }
    const origin = c.req.header("origin")
    const known = origin === undefined || origin === `http://${host}` || isAllowed(origin, config.cors)
    if (!known) throw new AppError("forbidden", "This origin may not call.", { origin: origin.slice(0, 200) })
    await next()
  }
}

/** The same for what isn't a request of the app's: a socket, which browsers open for any page. */
export function isKnownCaller(config: Config, { host, origin }: { host: string; origin: string | undefined }): boolean {
  const own = origin === undefined || /^https?:\/\/(.*)$/.exec(origin)?.[1] === host
  const known = own || isAllowed(origin, config.cors)
  return known && (config.auth.mode !== "open" || isLoopbackName(host))
}

/**
 * Whether a `Host` header names this very machine. A page can't make its own address one of these: what it could point
 * here is a name.
 */
export function isLoopbackName(host: string): boolean {
  const [, name = ""] = /^(localhost|127[\d.]+|\[::1\])(?::\d{1,5})?$/i.exec(host) ?? []
  return isLoopback(name.toLowerCase()) || name === "[::1]"
}

export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || (address.startsWith("127.") && isIPv4(address))
}

function isAllowedOrigin(origin: string, { origins, pattern }: Config["cors"]): boolean {
  return origins.includes("*") || origins.includes(origin) || (pattern?.test(origin) ?? false)
}

/**
 * The check of a server without log-in: the reference contract requires the key's presence, and no more. With log-in, the
 * token is enough.
 */
export function requireKey(): MiddlewareHandler {
  return async (c, next) => {
    if (!c.req.header("x-api-key")?.trim()) {
      throw new AppError("workspace_unauthorized", "Send your model key in the X-API-KEY header.")
    }
    await next()
  }
}

/** The security headers of every response without its own: it is data for one reader, not a page. */
export function securityHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(DATA_HEADERS)) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value)
    }
  }
}

const DATA_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
}
