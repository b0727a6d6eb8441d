import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Operation } from "@switchyard/client/operations"
import { locate, type Reads } from "@switchyard/client/request"
import { createApp } from "@switchyard/functions/app"
import { expect, expectTypeOf, it } from "vitest"
import { describedDeps } from "../../tools/api-docs.ts"

const routesFolder = join(import.meta.dirname, "../../packages/functions/src/routes")

it("knows every operation of the description, and no other", async () => {
  const { paths } = createApp(describedDeps()).getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "", version: "" },
  })
  const described = Object.entries(paths ?? {}).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const typed = readFileSync(join(import.meta.dirname, "../../packages/client/src/operations.ts"), "utf8")
  const inFolder = readdirSync(routesFolder, { recursive: true, encoding: "utf8" })
  const routeFiles = inFolder.filter((name) => name.endsWith(".ts"))
  const defined = await Promise.all(
    routeFiles.map(async (name) => {
      const { routes = {} } = await import(join(routesFolder, name))
      const listed = typed.includes(`"@switchyard/functions/routes/${name.replace(/\.ts$/, "")}"`)
      return listed ? Object.values(routes as Record<string, Defined | Defined[]>).flat() : []
    }),
  )
  const operations = defined.flat().map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  expect(operations.sort()).toEqual(described.sort())
})

interface Defined {
  method: string
  path: string
}

it("fills in a path and a query, each in its own way of escaping", () => {
  const path = { id: "a/b c", sha256: "0?1" }
  const url = locate("GET /api/v1/sessions/{id}/artifacts/{sha256}", { path, query: { filename: "ä & b" } })
  expect(url).toEqual({ method: "GET", path: "/api/v1/sessions/a%2Fb%20c/artifacts/0%3F1?filename=%C3%A4+%26+b" })
  expect(locate("GET /v1/runs", { query: { limit: 5, before: undefined } }).path).toBe("/v1/runs?limit=5")
  expect(locate("GET /v1/me", {}).path).toBe("/v1/me")
})

it("lets no call compile that the description doesn't have", () => {
  expectTypeOf<"GET /v1/run">().not.toExtend<Operation>()
  // @ts-expect-error There is no such path.
  locate("GET /v1/run", {})
  // @ts-expect-error The path has a parameter.
  locate("GET /v1/runs/{id}", {})
  // @ts-expect-error The query has no such field.
  locate("GET /v1/runs", { query: { limits: 5 } })
  expectTypeOf<Reads<"GET /v1/me", { owner: string }>>().toEqualTypeOf<unknown>()
  expectTypeOf<Reads<"GET /v1/me", { owner_name: string }>>().not.toEqualTypeOf<unknown>()
})
