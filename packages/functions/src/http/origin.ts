import { AppError } from "@switchyard/core/errors"
import { isEqual } from "@switchyard/core/people/access/secrets"
import type { MiddlewareHandler } from "hono"

/** Headers that the Router sets on every request, replacing any sent by the client. */
export const ORIGIN_HEADER = "x-origin-secret"
export const VIEWER_HEADER = "x-viewer-address"

/** Refuses requests that bypass the Router. Function URLs are open to the internet. */
export function requireOrigin(secret: string): MiddlewareHandler {
  return async (c, next) => {
    if (!isEqual(c.req.header(ORIGIN_HEADER) ?? "", secret)) {
      throw new AppError("forbidden", "Use the public address of this installation.")
    }
    await next()
  }
}
