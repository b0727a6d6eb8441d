import { isDeepStrictEqual } from "node:util"
import type { RouteConfig } from "@hono/zod-openapi"
import { createApp } from "@switchyard/functions/app"
import { loadConfig } from "@switchyard/functions/config"
import type { AppDeps } from "@switchyard/functions/deps"
import { STATUS } from "@switchyard/functions/http/errors"
import type * as z from "zod"

/** The app with its route table. Tests read the table and never call the app. */
export const app = createApp({
  config: loadConfig({}),
  version: "0",
  clock: { now: () => 0, monotonic: () => 0, sleep: async () => undefined },
  stopping: new AbortController().signal,
  verifySignedBlob: () => {
    throw new Error("Never called.")
  },
} as unknown as AppDeps)

const described = app.openAPIRegistry.definitions.flatMap((definition) =>
  definition.type === "route" ? [definition.route] : [],
)

/** Every endpoint that the router knows, without middleware. */
export const endpoints = app.routes
  .filter(({ method }) => method !== "ALL")
  .map(({ method, path }) => ({ method, path }))
  .filter(({ method, path }, i, all) => i === all.findIndex((other) => other.method === method && other.path === path))

/** Parameters of signed links, which the API description doesn't mention. */
const UNDESCRIBED = ["expires", "signature", "filename"]

/** Returns the query parameters of an endpoint. */
export function parametersOf({ method, path }: { method: string; path: string }): string[] {
  const isIt = (route: RouteConfig) =>
    `${route.method} ${route.path}` === `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`
  const route = described.find(isIt)
  if (!route) return UNDESCRIBED
  const query = route.request?.query
  return query && "shape" in query ? Object.keys(query.shape) : []
}

interface Answer {
  status: number
  type: string
  text: string
}

/** Throws unless the answer matches the API description in every field. */
export function checkAnswer(method: string, path: string, answer: Answer): void {
  if (path === "/mcp" && isProtocolError(answer)) return
  const fault = answer.status >= 400 ? envelopeFault(answer) : descriptionFault(method, path, answer)
  if (fault) throw new Error(`${method} ${path} answered ${answer.status}, ${fault}:\n${answer.text.slice(0, 1000)}`)
}

function descriptionFault(method: string, path: string, { status, type, text }: Answer): string | undefined {
  const route = described.find((route) => route.method === method.toLowerCase() && matches(route, path))
  if (!route) return
  const response = route.responses[status] as { content?: Record<string, { schema: z.ZodType }> } | undefined
  if (!response) return "which is not described"
  const schema = response.content?.["application/json"]?.schema
  // A route that answers with JSON may also stream or send a file.
  if (!schema || (type !== "application/json" && response.content?.[type])) return
  if (type !== "application/json") return `as ${type}`
  const answer = JSON.parse(text)
  const parsed = schema.safeParse(answer)
  if (!parsed.success) return `not as described: ${parsed.error.message}`
  // Any answer may have `warnings` about request fields that the endpoint doesn't know.
  if (parsed.data && typeof parsed.data === "object" && !("warnings" in parsed.data)) delete answer.warnings
  if (!isDeepStrictEqual(parsed.data, answer)) return "with more than is described"
}

function envelopeFault({ status, type, text }: Answer): string | undefined {
  if (type !== "application/json") return `as ${type}`
  const { error, ...rest } = JSON.parse(text)
  const { code, message, details, ...more } = error
  if (Object.keys(rest).length + Object.keys(more).length > 0) return "with more than the envelope"
  if (STATUS[code as keyof typeof STATUS] !== status) return "against the table"
  if (typeof message !== "string" || message === "") return "without a message"
  if (details !== null && (typeof details !== "object" || Array.isArray(details))) return "with odd details"
}

/** Returns true if the answer is a JSON-RPC error. */
function isProtocolError({ status, text }: Answer): boolean {
  if (status < 400) return false
  const { jsonrpc, id, error } = JSON.parse(text)
  return jsonrpc === "2.0" && id === null && Number.isInteger(error.code) && typeof error.message === "string"
}

function matches({ path }: RouteConfig, actual: string): boolean {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(actual)
}
