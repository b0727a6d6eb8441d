import { createRoute, type OpenAPIHono } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { AppDeps } from "../../deps.ts"
import { MCP_PATH } from "../../http/errors.ts"
import { isFromOwnPage } from "../../http/guards.ts"
import { createRoutes, unchecked } from "../../http/routing.ts"

const message = createRoute({
  method: "post",
  path: MCP_PATH,
  // Hide this route from the API description, because the MCP protocol itself defines its messages and errors.
  hide: true,
  responses: { default: { description: "As defined by the Model Context Protocol" } },
})

/**
 * Serves Switchyard's tools to MCP clients over streamable HTTP. The endpoint is stateless, so any process can answer a
 * request.
 */
export function mcpRoutes(deps: AppDeps): OpenAPIHono {
  return createRoutes().openapi(message, async (c) => {
    // The MCP specification requires every server to check the origin, however clients authenticate.
    if (!isFromOwnPage(deps.config, c)) throw new AppError("forbidden", "This origin is not allowed.")
    // Load the MCP server on demand, because only MCP clients need it.
    const { serveMcp } = await import("../../mcp/serve.ts")
    return unchecked(await serveMcp(deps, c))
  })
}
