import { AppError } from "@switchyard/core/errors"
import type { MiddlewareHandler } from "hono"
import { bodyLimit } from "hono/body-limit"
import { cors } from "hono/cors"
import type { Config } from "../config.ts"

export const MAX_BODY_BYTES = 4 * 1024 * 1024

/** Refuses a body above 4 MB while it is read, whatever length it claimed. */
export function limitBody(): MiddlewareHandler {
  return bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: () => {
      throw new AppError("payload_too_large", "The body is larger than 4 MB.", { max_bytes: MAX_BODY_BYTES })
    },
  })
}

/** Answers browsers of other origins as configured. */
export function allowOrigins({ cors: allowed }: Config): MiddlewareHandler {
  return cors({
    origin: (origin) => (isAllowed(origin, allowed) ? origin : null),
    credentials: allowed.credentials,
    allowHeaders: ["Content-Type", "Authorization", "X-API-KEY", "X-Workspace-ID", "Idempotency-Key", "Last-Event-ID"],
    allowMethods: ["GET", "POST", "PUT", "DELETE", "OPTIONS"],
    maxAge: 600,
  })
}

/**
 * Any web page can reach 127.0.0.1, and any name can be made to resolve to it. So a server without log-in answers only
 * requests that name it as this machine, and only pages that it knows.
 */
export function trustOnlyThisMachine(config: Config): MiddlewareHandler {
  return async (c, next) => {
    const host = c.req.header("host") ?? ""
    if (!LOOPBACK_HOST.test(host)) {
      throw new AppError("forbidden", "This server answers only to localhost, 127.0.0.1 and [::1].", { host })
    }
    const origin = c.req.header("origin")
    const known = origin === undefined || origin === `http://${host}` || isAllowed(origin, config.cors)
    if (!known) throw new AppError("forbidden", "This origin may not call.", { origin })
    await next()
  }
}

const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^127(\.\d{1,3}){3}$/.test(address)
}

function isAllowed(origin: string, { origins, pattern }: Config["cors"]): boolean {
  return origins.includes("*") || origins.includes(origin) || (pattern?.test(origin) ?? false)
}
