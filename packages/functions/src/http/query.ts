import type { OpenAPIHono } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { MiddlewareHandler } from "hono"
import { routeOf } from "./permissions.ts"

const OWN_PATHS = ["/v1/", "/api/v1/"]
const READS = ["GET", "HEAD", "OPTIONS"]

const MAX_ERRORS = 20
const MAX_FIELD_CHARS = 200

/**
 * Refuses unknown query parameters in requests that change data. Otherwise, a request with a misspelled `worktree`
 * would change the wrong worktree. Unknown parameters are allowed in requests that only read, because clients add their
 * own. They are also allowed on unversioned paths, because the clients of these paths were written for servers that
 * ignore unknown parameters.
 */
export function refuseUnknownParameters(app: OpenAPIHono): MiddlewareHandler {
  // Build the map on the first request, once all routes are registered.
  let known: ReadonlyMap<string, readonly string[]> | undefined
  return async (c, next) => {
    const given = Object.keys(c.req.queries())
    const isChange = !READS.includes(c.req.method) && OWN_PATHS.some((path) => c.req.path.startsWith(path))
    if (given.length > 0 && isChange) {
      known ??= parametersOf(app)
      const allowed = known.get(routeOf(c) ?? "")
      const unknown = allowed && given.filter((name) => !allowed.includes(name))
      if (unknown && unknown.length > 0) throw unknownParameters(unknown, allowed)
    }
    await next()
  }
}

/** Returns the query parameters of each route in the API description. */
function parametersOf({ openAPIRegistry }: OpenAPIHono): ReadonlyMap<string, readonly string[]> {
  return new Map(
    openAPIRegistry.definitions.flatMap((definition) => {
      if (definition.type !== "route") return []
      const { method, path, request } = definition.route
      const query = request?.query
      const names = query === undefined ? [] : Object.keys("shape" in query ? query.shape : {})
      return [[`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`, names] as const]
    }),
  )
}

function unknownParameters(names: readonly string[], allowed: readonly string[]): AppError {
  const errors = names.slice(0, MAX_ERRORS).map((name) => {
    const field = name.slice(0, MAX_FIELD_CHARS)
    return { field, message: "This endpoint has no such parameter.", code: "unrecognized_keys" }
  })
  return new AppError("validation_error", "The request is not valid.", { in: "query", errors, allowed })
}
