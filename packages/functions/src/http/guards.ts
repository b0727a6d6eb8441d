import { AppError } from "@switchyard/core/errors"
import { RELEASE, RELEASE_HEADER, worksWith } from "@switchyard/core/release"
import { appNameProblem } from "@switchyard/core/sessions/apps/app-name"
import { isPreviewLabel } from "@switchyard/core/sessions/previews/preview-host"
import type { Context, MiddlewareHandler } from "hono"
import { cors } from "hono/cors"
import type { Config } from "../config.ts"
import { isLoopbackName } from "./loopback.ts"
import { requiredScope } from "./permissions.ts"

/** Allows browser requests from other origins, as configured. */
export function allowOrigins(config: Config): MiddlewareHandler {
  const { cors: allowed } = config
  return cors({
    origin: (origin, c) => (mayCall(config, { host: c.req.header("host") ?? "", origin }) ? origin : null),
    credentials: allowed.credentials,
    allowHeaders: [
      "Content-Type",
      "Authorization",
      "X-API-KEY",
      "X-Workspace-ID",
      "Idempotency-Key",
      "Last-Event-ID",
      "Range",
      // Sent by MCP clients.
      "Mcp-Method",
      "Mcp-Name",
      "Mcp-Protocol-Version",
    ],
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    exposeHeaders: ["X-Run-ID", "Content-Disposition", "Content-Range", "ETag"],
    maxAge: 600,
  })
}

/** Refuses requests with an invalid `Host`, because parsing the request's URL would throw later. */
export function requireValidHost(): MiddlewareHandler {
  return async (c, next) => {
    if (!URL.canParse(c.req.url)) throw new AppError("validation_error", "The Host header is not valid.")
    await next()
  }
}

/**
 * Protects a server without login. Accepts only requests whose host is a loopback name, and only from the server's own
 * pages and allowed origins. Both checks are necessary, because any web page can send requests to 127.0.0.1, and any
 * name can be made to resolve to that address.
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
    if (!mayRead(config, c)) throw new AppError("forbidden", "Other sites can't load this.")
    await next()
  }
}

/**
 * False if another page makes the browser load this address, except through a permitted link. Other pages may always
 * link to our pages. They may link to an owner's data only if studios at other origins are configured, because browsers
 * don't report which page contains the link.
 */
export function mayRead(config: Config, c: Context): boolean {
  const mayLink = requiredScope(c) === "public" || config.cors.configured
  return isFromOwnPage(config, c) || (mayLink && isVisit(c))
}

/**
 * True if no other page caused this request, by embedding the address or by navigating to it. Although another page
 * couldn't read the response, its request would still take effect.
 */
export function isFromOwnPage(config: Config, c: Context): boolean {
  const [host = "", origin] = [c.req.header("host"), c.req.header("origin")]
  return origin === undefined ? !isFromOtherPage(c) : isTrustedOrigin(config, { host, origin })
}

/**
 * True if another page embeds this address, for example as an image, or navigates to it. Browsers don't send `Origin`
 * with such a request, but do send `Sec-Fetch-Site` (W3C, Fetch Metadata Request Headers). "Same site" includes all
 * ports of this machine.
 */
function isFromOtherPage(c: Context): boolean {
  const site = c.req.header("sec-fetch-site")
  return site === "cross-site" || site === "same-site"
}

/** True if the response is shown in a browser tab, for example after a click on a link. */
function isVisit(c: Context): boolean {
  const isNavigation = c.req.header("sec-fetch-mode") === "navigate" && c.req.header("sec-fetch-dest") === "document"
  return isNavigation && SAFE_METHODS.includes(c.req.method)
}

export const SAFE_METHODS = ["GET", "HEAD"]

/**
 * True if the client may open a WebSocket. WebSockets need their own check, because they bypass the app, and browsers
 * open them for any page.
 */
export function isTrustedCaller(config: Config, caller: { host: string; origin: string | undefined }): boolean {
  return (
    !isPreviewHost(caller.host) &&
    appNameAt(caller.host, config) === undefined &&
    isTrustedOrigin(config, caller) &&
    (config.auth.mode !== "open" || isLoopbackName(caller.host))
  )
}

/**
 * True for our own pages, which send their origin, and for clients that aren't browsers, which don't send an origin.
 */
function isTrustedOrigin(config: Config, { host, origin }: { host: string; origin: string | undefined }): boolean {
  if (origin === undefined || origin === `http://${host}` || origin === config.publicUrl) return true
  return mayCall(config, { host, origin })
}

/** Host name shared by all previews on this machine, if previews don't have their own host names. */
export const SHARED_PREVIEW_NAME = "previews.localhost"

/**
 * True if a host name looks like a preview's, under any domain. Pages from such a host are never ours, even if the name
 * isn't a valid preview name.
 */
export function isPreviewHost(host: string): boolean {
  if (/^previews\.localhost(?::|$)/i.test(host)) return true
  const [, label = ""] = /^([a-z\d]{63})\./i.exec(host) ?? []
  return isPreviewLabel(label)
}

/**
 * Returns the name of the app served at this host. Undefined if the host can't serve an app. Local apps use the
 * server's port, and their host can't be the host of the server's own pages.
 */
export function appNameAt(host: string, { appDomain, publicUrl }: Pick<Config, "appDomain" | "publicUrl">) {
  const [, name = "", domain = ""] = /^([a-z\d-]{1,63})\.([^:]*)(?::\d{1,5})?$/i.exec(host) ?? []
  if (appDomain === undefined || domain.toLowerCase() !== appDomain) return undefined
  const label = name.toLowerCase()
  if (publicUrl && new URL(publicUrl).hostname === `${label}.${appDomain}`) return undefined
  return appNameProblem(label) === undefined ? label : undefined
}

/** True for an allowed origin. `host` is the API's host. */
function mayCall(config: Config, { host, origin }: { host: string; origin: string }): boolean {
  const { origins, pattern } = config.cors
  // Pages written by models are never allowed, regardless of the settings. Some of these pages have no origin ("null").
  if (origin === "null") return false
  const from = URL.parse(origin)?.host ?? ""
  if (isPreviewHost(from)) return false
  // On this machine, apps are only served on the server's own port.
  const isSamePort = config.appDomain !== "localhost" || portOf(from) === portOf(host)
  if (isSamePort && appNameAt(from, config) !== undefined) return false
  return origins.includes("*") || origins.includes(origin) || (pattern?.test(origin) ?? false)
}

function portOf(host: string): string {
  return /:(\d{1,5})$/.exec(host)?.[1] ?? ""
}

/**
 * Requires a key on a server without login. The reference contract requires a key to be present, but not to be valid.
 * On a server with login, the token is enough.
 */
export function requireKey(): MiddlewareHandler {
  return async (c, next) => {
    if (!c.req.header("x-api-key")?.trim()) {
      throw new AppError("workspace_unauthorized", "Send your model key in the X-API-KEY header.")
    }
    await next()
  }
}

/**
 * Sends the server's release with each response. Refuses requests from commands of a release that may send or expect
 * other fields. Clients that don't name a release are never refused.
 */
export function requireKnownRelease(): MiddlewareHandler {
  return async (c, next) => {
    c.header(RELEASE_HEADER, RELEASE)
    const command = c.req.header(RELEASE_HEADER)
    if (command !== undefined && !worksWith(command, RELEASE)) {
      throw new AppError(
        "release_mismatch",
        `This server is Switchyard ${RELEASE}, and the command is ${command.slice(0, 50)}. Install switchyard-cli ${RELEASE}.`,
        { server: RELEASE },
      )
    }
    await next()
  }
}

/**
 * Adds security headers to responses that don't set their own. Such a response contains data for a single reader and
 * isn't a page.
 */
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
