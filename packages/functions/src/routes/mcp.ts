import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import type { AppDeps } from "../deps.ts"
import { createRoutes, jsonBody, unchecked } from "../http/routing.ts"

/** One message of JSON-RPC. Several at once are no part of the protocol any more, and would count as one request here. */
const McpMessage = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
})

const message = createRoute({
  method: "post",
  path: "/mcp",
  // The protocol has its own description of what is said here.
  hide: true,
  request: { body: jsonBody(McpMessage) },
  responses: { default: { description: "As the Model Context Protocol has it" } },
})

/** Switchyard's tools for MCP clients, over streamable HTTP: each request stands for itself, so any process can answer it. */
export function mcpRoutes(deps: AppDeps): OpenAPIHono {
  return createRoutes().openapi(message, async (c) => {
    // Whoever never speaks the protocol never loads it.
    const { serveMcp } = await import("../mcp/serve.ts")
    return unchecked(await serveMcp(deps, c, c.req.valid("json")))
  })
}
