import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer({})
})
afterAll(() => server.close())

interface Described {
  paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>
}

/** Returns the documented endpoints with their query parameters. Path variables are replaced by `x`. */
async function endpoints() {
  const { paths } = (await server.call("GET", "/openapi.json")).body as Described
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [] }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, "x"),
      names: parameters.flatMap((parameter) => (parameter.in === "query" ? [parameter.name] : [])),
    })),
  )
}

describe("a query parameter that an endpoint doesn't have", () => {
  it("is refused by each of the versioned ones that change something, by its name and with those that there are", async () => {
    const versioned = (await endpoints()).filter(
      ({ method, path }) => method !== "GET" && /^\/(?:api\/)?v1\//.test(path),
    )
    expect(versioned.length).toBeGreaterThan(100)
    for (const { method, path, names } of versioned) {
      const { status, body } = await server.call(method, `${path}?worktre=x`)
      const errors = [{ field: "worktre", message: expect.any(String), code: "unrecognized_keys" }]
      expect([path, status, body.error]).toEqual([
        path,
        422,
        { code: "validation_error", message: expect.any(String), details: { in: "query", errors, allowed: names } },
      ])
    }
  })

  it("changes nothing", async () => {
    const { body } = await server.call("POST", "/api/v1/sessions", { json: {} })
    const path = `/api/v1/sessions/${body.id}`
    expect((await server.call("DELETE", `${path}?dry_run=true`)).status).toBe(422)
    expect((await server.call("GET", path)).status).toBe(200)
  })

  it("is ignored by reads, and by the paths for which clients of other servers were made", async () => {
    expect((await server.call("GET", "/api/v1/sessions?_=17")).status).toBe(200)
    expect((await fetch(`${server.url}/v1/runs?a=b`, { method: "HEAD" })).status).toBe(200)
    expect((await server.call("GET", "/workspace/tree?workspace_id=a&depth=2", KEY)).status).toBe(200)
  })

  it("says nothing of an address that there isn't", async () => {
    expect((await server.call("POST", "/v1/nothing?a=b")).status).toBe(404)
  })
})

const KEY = { headers: { "x-api-key": "k" } }

describe("a field that an endpoint's body doesn't have", () => {
  const ask = (path: string, json: object) => server.call("POST", path, { json })

  it("is ignored with a warning that names it, and without one on the paths of other servers' clients", async () => {
    const request = { user_prompt: "a to-do list", model: "scripted/test", promt: 1, colour: "red" }
    const started = await ask("/v1/runs", request)
    expect([started.status, started.body.warnings]).toEqual([
      201,
      ["promt", "colour"].map((name) => `This endpoint has no field ${name}. It was ignored.`),
    ])
    await server.ended(started.body.run_id)
    expect((await ask("/v1/runs", { ...request, promt: null, colour: null })).body.warnings).toBeUndefined()
    const { status, body } = await ask("/workspace/folder", { path: "src", colour: "red" })
    expect([status < 300, body.warnings]).toEqual([true, undefined])
  })

  it("is refused if the answer would be another one without it", async () => {
    for (const path of ["/v1/runs", "/v1/workflows/run", "/stream"]) {
      const { status, body } = await ask(path, {
        user_prompt: "x",
        model: "scripted/test",
        attachments: ["a"],
        seed: 1,
      })
      expect([path, status, body.error.details.errors]).toEqual([
        ...[path, 422],
        ["attachments", "seed"].map((field) => ({ field, message: expect.any(String), code: "unrecognized_keys" })),
      ])
    }
    const agent = { kind: "agent", coding_agent: "mock", user_prompt: "x", images: [`artifacts/${"a".repeat(64)}`] }
    expect((await ask("/v1/runs", agent)).body.error.message).toContain("`screenshots`")
  })
})
