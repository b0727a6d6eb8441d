import { createRoute, type OpenAPIHono } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { AppDeps } from "../../deps.ts"
import { MCP_PATH } from "../../http/errors.ts"
import { isFromOwnPage } from "../../http/guards.ts"
import { createRoutes, unchecked } from "../../http/routing.ts"

const message = createRoute({
  method: "post",
  path: MCP_PATH,
  // The protocol describes its own messages and errors.
  hide: true,
  responses: { default: { description: "As the Model Context Protocol defines it" } },
})

/**
 * Serves Switchyard's tools to MCP clients over streamable HTTP. Requests are independent, so any process can answer
 * them.
 */
export function mcpRoutes(deps: AppDeps): OpenAPIHono {
  return createRoutes().openapi(message, async (c) => {
    // The protocol demands this of every server, however its clients log in.
    if (!isFromOwnPage(deps.config, c)) throw new AppError("forbidden", "This origin is not allowed.")
    // Loaded only for clients of the protocol.
    const { serveMcp } = await import("../../mcp/serve.ts")
    return unchecked(await serveMcp(deps, c))
  })
}
