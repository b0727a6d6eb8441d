import { OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"

/** A set of routes whose input is checked by its schemas: what doesn't fit is a `validation_error` that names the fields. */
export function createRoutes(): OpenAPIHono {
  return new OpenAPIHono({
    defaultHook: (result) => {
      if (result.success) return
      const errors = result.error.issues.map(({ path, message, code }) => ({ field: path.join("."), message, code }))
      throw new AppError("validation_error", "The request is not valid.", { in: result.target, errors })
    },
  })
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

/** Responses of a route that answers JSON, with the one envelope for everything else. */
export function answers(schema: z.ZodType, description: string, status = 200): RouteConfig["responses"] {
  return {
    [status]: { description, content: { "application/json": { schema } } },
    default: { description: "What went wrong", content: { "application/json": { schema: ErrorEnvelope } } },
  }
}

export function streams(description: string): RouteConfig["responses"] {
  return {
    200: { description, content: { "text/event-stream": { schema: z.string() } } },
    default: { description: "What went wrong", content: { "application/json": { schema: ErrorEnvelope } } },
  }
}

export function jsonBody<T extends z.ZodType>(schema: T) {
  return { content: { "application/json": { schema } }, required: true }
}
