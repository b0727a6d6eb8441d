import type { OpenAPIHono } from "@hono/zod-openapi"
import type { Config } from "../config.ts"
import { RATE_LIMITS, scopeOf } from "./permissions.ts"

type Document = ReturnType<OpenAPIHono["getOpenAPI31Document"]>

interface Operation {
  operationId?: string
  parameters?: { in: string }[]
  requestBody?: unknown
  responses: Record<string, unknown>
  security?: Record<string, string[]>[]
}

const ERROR = { $ref: "#/components/responses/Error" }

/** Builds the OpenAPI description from the routes, and adds each route's name, security and error responses. */
export function describeApi(app: OpenAPIHono, { version, config }: { version: string; config: Config }): Document {
  const described = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Switchyard",
      version,
      description: "Turns prompts into projects, and runs coding agents.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    // An address relative to the server that serves this description.
    servers: [{ url: "/" }],
  })
  const usedNames = new Set<string>()
  const paths = Object.entries(described.paths ?? {}).map(([path, operations]) => {
    const complete = Object.entries(operations as Record<string, Operation>).map(([method, operation]) => {
      const operationId = operationName(method, path, usedNames)
      usedNames.add(operationId)
      const route = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`
      return [
        method,
        { ...operation, operationId, ...securityOf(route, config), responses: responsesOf(route, operation) },
      ]
    })
    return [path, Object.fromEntries(complete)]
  })
  const error = { description: "The error", content: { "application/json": { schema: ERROR_SCHEMA } } }
  const schemas = withDefaultsInWords(described.components?.schemas ?? {})
  const components = {
    ...described.components,
    schemas,
    responses: { Error: error },
    securitySchemes: schemesOf(config),
  }
  return { ...described, components, paths: Object.fromEntries(paths) }
}

const ERROR_SCHEMA = { $ref: "#/components/schemas/Error" }

/**
 * Moves optional fields' defaults into the descriptions of these fields. The keyword `default` misleads generators:
 * openapi-typescript assumes that a field with a default is always present, and requires it in requests.
 */
function withDefaultsInWords<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withDefaultsInWords) as T
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, withDefaultsInWords(inner)])
  const { default: byDefault, ...rest } = Object.fromEntries(entries)
  if (byDefault === undefined || typeof byDefault === "object") return Object.fromEntries(entries)
  const words = `${JSON.stringify(byDefault)} by default`
  return { ...rest, description: rest.description ? `${rest.description}; ${words}` : words }
}

/** Returns, for example, `getRunEvents` for `GET /v1/runs/{id}/events`. Adds the version if the name is taken. */
function operationName(method: string, path: string, taken: Set<string>): string {
  const segments = path.split("/").filter(Boolean)
  const named = (parts: string[]) => method + parts.map((_, at) => namePart(parts, at)).join("")
  const short = named(segments.filter((segment) => !/^(api|v1)$/.test(segment)))
  return taken.has(short) ? named(segments) : short
}

/**
 * Converts a path segment to a part of the operation's name. Uses the singular for a collection that is followed by a
 * parameter.
 */
function namePart(segments: string[], at: number): string {
  const segment = segments[at] ?? ""
  const before = segments[at - 1] ?? ""
  if (segment.startsWith("{")) return before.endsWith("s") ? "" : `By${pascal(segment.slice(1, -1))}`
  const one = segments[at + 1]?.startsWith("{") && segment.endsWith("s")
  return pascal(one ? segment.slice(0, -1) : segment)
}

function pascal(text: string): string {
  return text.replaceAll(/(?:^|[^a-z0-9]+)([a-z0-9])/gi, (_, first: string) => first.toUpperCase())
}

function schemesOf({ auth, workspaceAuth }: Config) {
  const token = { type: "http" as const, scheme: "bearer", description: "An access token for this server" }
  const login = {
    type: "apiKey" as const,
    in: "cookie",
    name: "__Host-switchyard",
    description: "Set by `POST /login`",
  }
  const key = { type: "apiKey" as const, in: "header", name: "X-API-KEY", description: "Any API key for the model" }
  return { token, ...(auth.mode === "token" && { login }), ...(workspaceAuth === "key" && { key }) }
}

/** Returns a route's security. On a server without login, a token is accepted but not required. */
function securityOf(route: string, { auth, workspaceAuth }: Config): Pick<Operation, "security"> {
  if (scopeOf(route) === "public") return { security: [] }
  if (auth.mode === "token") return { security: [{ token: [] }, { login: [] }] }
  if (workspaceAuth === "key" && route.includes(" /workspace/")) return { security: [{ key: [] }] }
  return { security: [{}, { token: [] }] }
}

/** Lists a route's error responses. The entry `default` covers all errors that aren't listed. */
function responsesOf(route: string, { parameters = [], requestBody, responses }: Operation): Operation["responses"] {
  const statuses = [
    ...(scopeOf(route) === "public" ? [] : [401]),
    403,
    ...(parameters.some((parameter) => parameter.in === "path") ? [404] : []),
    ...(requestBody ? [413, 415] : []),
    ...(parameters.length > 0 || requestBody ? [422] : []),
    ...(RATE_LIMITS[route] ? [429] : []),
  ]
  return { ...responses, ...Object.fromEntries(statuses.map((status) => [status, ERROR])), default: ERROR }
}
