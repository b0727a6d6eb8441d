import { createRoute, type OpenAPIHono } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { AppDeps } from "../deps.ts"
import { MCP_PATH } from "../http/errors.ts"
import { isFromOwnPage } from "../http/guards.ts"
import { createRoutes, unchecked } from "../http/routing.ts"

const message = createRoute({
  method: "post",
  path: MCP_PATH,
  // The protocol has its own description of what is said here, and its own errors for what isn't.
  hide: true,
  responses: { default: { description: "As the Model Context Protocol has it" } },
})

/** Switchyard's tools for MCP clients, over streamable HTTP: each request stands for itself, so any process can answer it. */
export function mcpRoutes(deps: AppDeps): OpenAPIHono {
  return createRoutes().openapi(message, async (c) => {
    // The protocol demands it of every server, however its clients log in.
    if (!isFromOwnPage(deps.config, c)) throw new AppError("forbidden", "This origin is not allowed.")
    // Whoever never speaks the protocol never loads it.
    const { serveMcp } = await import("../mcp/serve.ts")
    return unchecked(await serveMcp(deps, c))
  })
}
