import { AppError } from "@switchyard/core/errors"
import { isPreviewLabel } from "@switchyard/core/sessions/previews/preview-host"
import type { Context, MiddlewareHandler } from "hono"
import { cors } from "hono/cors"
import type { Config } from "../config.ts"
import { isLoopbackName } from "./loopback.ts"
import { requiredScope } from "./permissions.ts"

/** Answers browsers of other origins as configured. */
export function allowOrigins({ cors: allowed }: Config): MiddlewareHandler {
  return cors({
    origin: (origin) => (isAllowedOrigin(origin, allowed) ? origin : null),
    credentials: allowed.credentials,
    allowHeaders: [
      "Content-Type",
      "Authorization",
      "X-API-KEY",
      "X-Workspace-ID",
      "Idempotency-Key",
      "Last-Event-ID",
      "Range",
      // Of MCP clients.
      "Mcp-Method",
      "Mcp-Name",
      "Mcp-Protocol-Version",
    ],
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    exposeHeaders: ["X-Run-ID", "Content-Disposition", "Content-Range", "ETag"],
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
    if (!isTrustedOrigin(config, { host, origin })) {
      throw new AppError("forbidden", "This origin is not allowed.", { origin: origin?.slice(0, 200) })
    }
    if (!mayRead(config, c)) throw new AppError("forbidden", "Other pages can't load this.")
    await next()
  }
}

/**
 * Whether no other page has the browser load this, but for links: to pages of ours from anywhere, and to what is an owner's
 * only where studios of other origins are configured, for a browser doesn't say which page a link was on.
 */
export function mayRead(config: Config, c: Context): boolean {
  const mayLink = requiredScope(c) === "public" || config.cors.configured
  return isFromOwnPage(config, c) || (mayLink && isVisit(c))
}

/**
 * Whether no other page is behind this request: neither one that embeds the address nor one that has the browser visit it. It
 * can read no response, but a request that does more than reading would do that.
 */
export function isFromOwnPage(config: Config, c: Context): boolean {
  const [host = "", origin] = [c.req.header("host"), c.req.header("origin")]
  return origin === undefined ? !isFromOtherPage(c) : isTrustedOrigin(config, { host, origin })
}

/**
 * Whether another page has the browser send this, to embed it, an image say, or to visit it: for that, browsers send no
 * `Origin`, but where it comes from (W3C, Fetch Metadata Request Headers). The same site is any port of this machine.
 */
function isFromOtherPage(c: Context): boolean {
  const site = c.req.header("sec-fetch-site")
  return site === "cross-site" || site === "same-site"
}

/** Whether a tab shows the response, as after following a link. */
function isVisit(c: Context): boolean {
  const isNavigation = c.req.header("sec-fetch-mode") === "navigate" && c.req.header("sec-fetch-dest") === "document"
  return isNavigation && SAFE_METHODS.includes(c.req.method)
}

export const SAFE_METHODS = ["GET", "HEAD"]

/** The same check for a WebSocket, which the app doesn't serve, and which browsers open for any page. */
export function isTrustedCaller(config: Config, caller: { host: string; origin: string | undefined }): boolean {
  return (
    !isPreviewHost(caller.host) &&
    isTrustedOrigin(config, caller) &&
    (config.auth.mode !== "open" || isLoopbackName(caller.host))
  )
}

/** Programs send no origin; our own pages send the one that they were loaded from. */
function isTrustedOrigin(
  { publicUrl, cors }: Config,
  { host, origin }: { host: string; origin: string | undefined },
): boolean {
  if (origin === undefined || origin === `http://${host}` || origin === publicUrl) return true
  return isAllowedOrigin(origin, cors)
}

/** The name that all previews of this machine share where they have none of their own. */
export const SHARED_PREVIEW_NAME = "previews.localhost"

/**
 * Whether a name has the form of a preview's, below whatever domain. No page from there is one of ours, whoever made the name.
 */
export function isPreviewHost(host: string): boolean {
  if (/^previews\.localhost(?::|$)/i.test(host)) return true
  const [, label = ""] = /^([a-z\d]{63})\./i.exec(host) ?? []
  return isPreviewLabel(label)
}

function isAllowedOrigin(origin: string, { origins, pattern }: Config["cors"]): boolean {
  // However freely others are allowed: what is previewed, a model wrote, and may be a page without an origin.
  if (origin === "null") return false
  if (isPreviewHost(URL.parse(origin)?.host ?? "")) return false
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
