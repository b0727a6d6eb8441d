import { AppError } from "@switchyard/core/errors"
import { isEqual } from "@switchyard/core/people/access/secrets"
import type { MiddlewareHandler } from "hono"

/** The headers that the Router sets on every request, whatever its caller sent under these names. */
export const ORIGIN_HEADER = "x-origin-secret"
export const VIEWER_HEADER = "x-viewer-address"

/**
 * A function URL is open to the internet: lets through only what came by the Router, so that nobody goes round what
 * stands there.
 */
export function requireOrigin(secret: string): MiddlewareHandler {
  return async (c, next) => {
    if (!isEqual(c.req.header(ORIGIN_HEADER) ?? "", secret)) {
      throw new AppError("forbidden", "Use the public address of this installation.")
    }
    await next()
  }
}
