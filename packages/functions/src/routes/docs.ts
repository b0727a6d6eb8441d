import type { OpenAPIHono } from "@hono/zod-openapi"
import { Hono } from "hono"
import { apiPage } from "../http/api-page.ts"

const STYLED_PAGE = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

/** The API's description, made from the routes, for programs and for people. */
export function docsRoutes(app: OpenAPIHono, version: string): Hono {
  const describe = () =>
    app.getOpenAPI31Document({
      openapi: "3.1.0",
      info: { title: "Switchyard", version, description: "From a prompt to a project, and what it takes." },
    })
  // Made when it is first asked for: by then all routes are there.
  let made: ReturnType<typeof describe> | undefined
  const description = () => {
    made ??= describe()
    return made
  }
  return new Hono()
    .get("/openapi.json", (c) => c.json(description()))
    .get("/api/docs", (c) => {
      c.header("Content-Security-Policy", STYLED_PAGE)
      return c.html(apiPage(description()))
    })
}
