import type { OpenAPIHono } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { MiddlewareHandler } from "hono"
import { routeOf } from "./permissions.ts"

const OWN_PATHS = ["/v1/", "/api/v1/"]
const MAX_NAMED = 20
const MAX_FIELD_CHARS = 200

/**
 * Fields used by other servers that change what a client gets. Ignoring such a field would produce a result that the
 * client didn't request.
 */
const WITH_EFFECT = new Set(
  "attachments audio documents files frequency_penalty image images max_tokens presence_penalty response_format screenshots seed stop system_prompt temperature tools top_p".split(
    " ",
  ),
)

/**
 * Handles fields in JSON bodies that the endpoint doesn't define. A field listed in `WITH_EFFECT` is refused, because
 * this server doesn't support the field's effect. Other fields are ignored, and on versioned paths the response lists
 * them in `warnings`. Must be registered after `readBody`.
 */
export function nameUnknownFields(app: OpenAPIHono): MiddlewareHandler {
  // Build the map on the first request, once all routes are registered.
  let known: ReadonlyMap<string, readonly string[]> | undefined
  return async (c, next) => {
    if (!c.req.header("content-type")?.startsWith("application/json")) return next()
    known ??= fieldsOf(app)
    const allowed = known.get(routeOf(c) ?? "")
    const body: unknown = allowed && (await c.req.json().catch(() => undefined))
    if (!allowed || typeof body !== "object" || body === null || Array.isArray(body)) return next()
    const given = Object.entries(body).filter(([name, value]) => value !== null && !allowed.includes(name))
    const unknown = given.map(([name]) => name).slice(0, MAX_NAMED)
    const refused = unknown.filter((name) => WITH_EFFECT.has(name))
    if (refused.length > 0) throw unsupported(refused)
    await next()
    if (unknown.length > 0 && OWN_PATHS.some((path) => c.req.path.startsWith(path))) await addWarnings(c, unknown)
  }
}

/**
 * Returns, keyed by route, the body fields that the route's schema defines. Omits routes whose body isn't a JSON
 * object, and routes whose schema itself handles unknown fields.
 */
function fieldsOf({ openAPIRegistry }: OpenAPIHono): ReadonlyMap<string, readonly string[]> {
  return new Map(
    openAPIRegistry.definitions.flatMap((definition) => {
      if (definition.type !== "route") return []
      const { method, path, request } = definition.route
      const body = request?.body?.content["application/json"]
      const schema: object = (body && "schema" in body && body.schema) || {}
      if (!("shape" in schema) || ("def" in schema && isOpen(schema.def))) return []
      const route = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`
      return [[route, Object.keys(schema.shape as object)] as const]
    }),
  )
}

/** True if a schema keeps or refuses unknown fields itself. */
function isOpen(def: unknown): boolean {
  return typeof def === "object" && def !== null && "catchall" in def && def.catchall !== undefined
}

async function addWarnings(c: Parameters<MiddlewareHandler>[0], unknown: string[]): Promise<void> {
  const { res } = c
  if (!res.ok || !res.headers.get("content-type")?.startsWith("application/json")) return
  const answer: unknown = await res.clone().json()
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return
  const warnings = unknown.map(
    (name) => `This endpoint has no field ${name.slice(0, MAX_FIELD_CHARS)}. It was ignored.`,
  )
  const headers = new Headers(res.headers)
  headers.delete("content-length")
  c.res = new Response(JSON.stringify({ ...answer, warnings }), { status: res.status, headers })
}

function unsupported(names: readonly string[]): AppError {
  const errors = names.map((field) => ({
    field,
    message: "This endpoint doesn't support this field. Leave it out.",
    code: "unrecognized_keys",
  }))
  return new AppError("validation_error", "The request is not valid.", { in: "json", errors })
}
