import type { OpenAPIHono } from "@hono/zod-openapi"
import { Hono } from "hono"
import type { Config } from "../../config.ts"
import { describeApi } from "../../http/api-description.ts"
import { apiPage } from "../../http/api-page.ts"

const STYLED_PAGE = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

/** Serves the API description as OpenAPI and as a web page. */
export function docsRoutes(app: OpenAPIHono, deps: { version: string; config: Config }): Hono {
  // Build the description on the first request, once all routes are registered.
  let made: ReturnType<typeof describeApi> | undefined
  const description = () => {
    made ??= describeApi(app, deps)
    return made
  }
  return new Hono()
    .get("/openapi.json", (c) => c.json(description()))
    .get("/api/docs", (c) => {
      c.header("Content-Security-Policy", STYLED_PAGE)
      return c.html(apiPage(description()))
    })
}
