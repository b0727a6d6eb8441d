import { afterEach, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../server.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"

let server: TestServer
afterEach(() => server.close())

async function describedBy(env: Record<string, string>) {
  server = await startServer({ env })
  return (await server.call("GET", "/openapi.json")).body
}

/** Returns the values of all properties with this name, at any depth. */
function allOf(name: string, within: unknown): unknown[] {
  if (typeof within !== "object" || within === null) return []
  return Object.entries(within).flatMap(([key, value]) => [...(key === name ? [value] : []), ...allOf(name, value)])
}

// biome-ignore lint/suspicious/noExplicitAny: as JSON has it
function operationsOf({ paths }: { paths: Record<string, Record<string, any>> }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
  )
}

interface Part {
  content?: { "application/json"?: { schema: object } }
}

describe("the API's description", () => {
  it("leaves defaults to its words, for generators take a field that has one for one that is always there", async () => {
    const { components } = await describedBy({})
    expect(allOf("default", components.schemas).filter((value) => typeof value !== "object")).toEqual([])
    const { properties, required } = components.schemas.RunRequest
    expect(required).not.toContain("recursion_limit")
    expect(properties.recursion_limit.description).toBe("Maximum number of node visits in a run; 100 by default")
  })

  it("has patterns without flags, which fit what the server takes", async () => {
    const description = await describedBy({})
    const patterns = allOf("pattern", description).filter((pattern) => typeof pattern === "string")
    expect(patterns.length).toBeGreaterThan(14)
    for (const pattern of patterns) {
      expect(pattern).not.toMatch(/\/[a-z]*$/)
      for (const flags of ["", "u"]) expect(() => new RegExp(pattern, flags)).not.toThrow()
    }
    const { pattern } = description.components.schemas.NewToken.properties.name
    for (const name of ["A laptop", "Größe 🚂"]) expect(name).toMatch(new RegExp(pattern))
    for (const name of ["two\nlines", "\u0000", "\u009b"]) expect(name).not.toMatch(new RegExp(pattern))
  })

  it("names the schema of every body and answer, and says where one may be null", async () => {
    const description = await describedBy({})
    const unnamed = operationsOf(description).flatMap(({ route, operation }) => {
      const parts = [operation.requestBody, ...Object.values(operation.responses)] as (Part | undefined)[]
      const schemas = parts.flatMap((part) => part?.content?.["application/json"]?.schema ?? [])
      return schemas.some((schema) => !("$ref" in schema)) ? [route] : []
    })
    // This route's answer depends on the command, so its schema has no name.
    expect(unnamed).toEqual(["GET /api/v1/sessions/{id}/worktree/commands/{command}"])
    const { Session, WorktreeStatus } = description.components.schemas
    expect(Session.properties.active_run.anyOf).toContainEqual({ type: "null" })
    expect(WorktreeStatus.properties.merge.anyOf).toContainEqual({ type: "null" })
    // Code generators reject a schema that combines `allOf` with null.
    const parts = allOf("allOf", description).flat() as { type?: unknown }[]
    expect(parts.filter(({ type }) => Array.isArray(type) && type.includes("null"))).toEqual([])
  })

  it("names every operation once, says where the server is, and how each can fail", async () => {
    const description = await describedBy({})
    expect(description.servers).toEqual([{ url: "/" }])
    const operations = operationsOf(description)
    const names = operations.map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(operations.length)
    expect(names).toEqual(expect.arrayContaining(["getRun", "postRuns", "getRunEvents", "getWorkspaceDownload"]))
    for (const { route, operation } of operations) {
      expect(Object.keys(operation.responses), route).toEqual(expect.arrayContaining(["403", "default"]))
      expect(operation.security, route).toBeDefined()
    }
    const { get } = description.paths["/workspace/download"]
    expect(Object.keys(get.responses["200"].content)).toEqual(["application/zip", "application/json"])
  })

  it("says who may call what", async () => {
    const token = await describedBy({ AUTH_MODE: "token", ADMIN_TOKEN })
    expect(token.paths["/health"].get.security).toEqual([])
    expect(token.paths["/v1/runs"].post.security).toEqual([{ token: [] }, { login: [] }])
    expect(token.components.securitySchemes).toMatchObject({ token: { type: "http", scheme: "bearer" } })
    await server.close()
    const gated = await describedBy({ REQUIRE_WORKSPACE_AUTH: "yes" })
    expect(gated.paths["/workspace/tree"].get.security).toEqual([{ key: [] }])
    expect(gated.paths["/v1/runs"].post.security).toEqual([{}, { token: [] }])
    const used = operationsOf(gated).flatMap(({ operation }) => operation.security.flatMap(Object.keys))
    expect(new Set(used)).toEqual(new Set(Object.keys(gated.components.securitySchemes)))
  })
})
