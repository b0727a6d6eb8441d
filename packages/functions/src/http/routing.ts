import { createRoute, OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"

const MAX_ERRORS = 20
const MAX_FIELD_CHARS = 200

/**
 * Creates routes that validate their input against its schemas. For invalid input, throws a `validation_error` that
 * lists the fields.
 */
export function createRoutes(): OpenAPIHono {
  return new OpenAPIHono({
    defaultHook: (result) => {
      if (result.success) return
      const errors = result.error.issues.slice(0, MAX_ERRORS).map(({ path, message, code }) => {
        return { field: path.join(".").slice(0, MAX_FIELD_CHARS), message, code }
      })
      throw new AppError("validation_error", "The request is not valid.", { in: result.target, errors })
    },
  })
}

/** Description of an endpoint, except its method, path and tag. */
export type EndpointDetails = Omit<RouteConfig, "method" | "path" | "tags">

/**
 * Returns one function per HTTP method. Each function describes an endpoint, and the noun becomes the endpoint's tag in
 * the API description.
 */
export function endpointsOf(noun: string) {
  function describe<M extends "get" | "post" | "put" | "patch" | "delete">(method: M) {
    return <P extends string, D extends EndpointDetails>(path: P, details: D) =>
      createRoute({ method, path, tags: [noun], ...details })
  }
  return {
    get: describe("get"),
    post: describe("post"),
    put: describe("put"),
    patch: describe("patch"),
    delete: describe("delete"),
  }
}

/** Returns the methods that a path supports. Used when a request has an unsupported method. */
export function allowedMethods({ router }: OpenAPIHono, path: string): string[] {
  const allowed = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) =>
    router.match(method, path)[0].some(([[, route]]) => route.method === method),
  )
  return allowed.includes("GET") ? ["HEAD", ...allowed] : allowed
}

const ErrorEnvelope = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).nullable(),
    }),
  })
  .openapi("Error")

const failure = { description: "The error", content: { "application/json": { schema: ErrorEnvelope } } }

interface JsonResponse<T> {
  description: string
  content: { "application/json": { schema: T } }
}
type JsonResponses<T, S extends number> = { [K in S]: JsonResponse<T> } & { default: typeof failure }

/** Describes a JSON route's responses: the schema for success, and the error envelope for anything else. */
export function answers<T extends z.ZodType>(schema: T, description: string): JsonResponses<T, 200>
export function answers<T extends z.ZodType, S extends number>(
  schema: T,
  description: string,
  status: S,
): JsonResponses<T, S>
export function answers(schema: z.ZodType, description: string, status = 200) {
  return { [status]: { description, content: { "application/json": { schema } } }, default: failure }
}

/**
 * Makes a response fit any route's type. Used for bodies whose type the compiler can't check: a runner's answer, or a
 * response that was kept alive.
 */
export function unchecked(response: Response): never {
  return response as never
}

/** Raw bytes of a file. */
export const BinaryBody = z.string().openapi({ type: "string", format: "binary" })

/** Describes the responses of a route that can also stream. */
export function pagedOrStreamed<T extends z.ZodType>(schema: T, description: string) {
  const content = { "application/json": { schema }, "text/event-stream": { schema: z.string() } }
  return { 200: { description, content }, default: failure }
}

export function streams(description: string) {
  return { 200: { description, content: { "text/event-stream": { schema: z.string() } } }, default: failure }
}

export function jsonBody<T extends z.ZodType>(schema: T) {
  return { content: { "application/json": { schema } }, required: true }
}
