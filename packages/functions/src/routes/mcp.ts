import { createRoute, type OpenAPIHono } from "@hono/zod-openapi"
import type { AppDeps } from "../deps.ts"
import { createRoutes, unchecked } from "../http/routing.ts"

const message = createRoute({
  method: "post",
  path: "/mcp",
  // The protocol has its own description of what is said here, and its own errors for what isn't.
  hide: true,
  responses: { default: { description: "As the Model Context Protocol has it" } },
})

/** Switchyard's tools for MCP clients, over streamable HTTP: each request stands for itself, so any process can answer it. */
export function mcpRoutes(deps: AppDeps): OpenAPIHono {
  return createRoutes().openapi(message, async (c) => {
    // Whoever never speaks the protocol never loads it.
    const { serveMcp } = await import("../mcp/serve.ts")
    return unchecked(await serveMcp(deps, c))
  })
}
