import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

describe("what anyone may know", () => {
  it("is how the server is set up", async () => {
    const { status, body } = await server.call("GET", "/health")
    expect(status).toBe(200)
    expect(body).toEqual({
      status: "ok",
      provider: "scripted",
      default_model: "scripted/demo",
      max_mutable_prompt_chars: 4000,
      max_editable_file_chars: 400_000,
      workspace_auth_required: false,
      app_env: "development",
      cors_configured: false,
    })
  })

  it("is that it runs", async () => {
    expect((await server.call("GET", "/status")).body).toEqual({
      status: "healthy",
      version: "0",
      uptime_seconds: expect.any(Number),
    })
  })

  it("is the same prompt schema under each of its names, with nothing that comes after the mutable layer", async () => {
    const [schema, ...others] = await Promise.all(
      ["/prompts/schema", "/v1/prompts/schema", "/api/prompts"].map((path) => server.call("GET", path)),
    )
    for (const other of others) expect(other.body).toEqual(schema?.body)
    expect(Object.keys(schema?.body.nodes)).toEqual(["planner", "architect", "coder"])
    for (const node of Object.values(schema?.body.nodes)) {
      expect(Object.keys(node as object).sort()).toEqual(["default_mutable", "immutable_prefix"])
    }
    expect(schema?.body.policy.max_mutable_prompt_chars).toBe(4000)
    expect((await server.call("GET", "/v1/prompt-policy")).body).toEqual(schema?.body.policy)
  })

  it("is the graph, as the studio draws it", async () => {
    const { body } = await server.call("GET", "/graph/schema")
    expect(body).toMatchObject({
      graph_id: "agent_mind_v1",
      state_model: ["idle", "active", "completed", "error"],
      activity_model: { min: 0, max: 1 },
    })
    expect(body.nodes).toMatchObject([
      { id: "planner", type: "default", position: { x: 120, y: 160 }, data: { role: "planning" } },
      { id: "architect", type: "default", position: { x: 420, y: 160 }, data: { role: "architecture" } },
      { id: "coder", type: "default", position: { x: 720, y: 160 }, data: { role: "coding" } },
    ])
    expect(body.edges).toMatchObject([
      { source: "planner", target: "architect", type: "smoothstep", animated: false },
      { source: "architect", target: "coder", type: "smoothstep", animated: false },
      { source: "coder", target: "coder", animated: true },
    ])
  })

  it("is the whole API, described for programs and for people", async () => {
    const { body } = await server.call("GET", "/openapi.json")
    expect(Object.keys(body.paths)).toContain("/v1/runs/{id}/events")
    expect(body.components.schemas.TreeNode.properties.children.items).toEqual({
      $ref: "#/components/schemas/TreeNode",
    })
    const page = await server.call("GET", "/api/docs")
    expect(page.text).toContain("/v1/runs/{id}/events")
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src/)
  })
})

describe("in production", () => {
  it("no model is the demo, and nothing says what only a developer may know", async () => {
    const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"
    const closed = await startServer({ env: { APP_ENV: "production", ADMIN_TOKEN } })
    try {
      expect((await closed.call("GET", "/health")).body).toMatchObject({
        provider: "groq",
        default_model: "groq/openai/gpt-oss-120b",
        workspace_auth_required: true,
        app_env: "production",
      })
      const asked = { json: { user_prompt: "A page" }, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }
      const refused = await closed.call("POST", "/generate", asked)
      expect(refused).toMatchObject({ status: 422, body: { error: { code: "invalid_request" } } })
      expect(refused.body.error.message).toContain("GROQ_API_KEY")
    } finally {
      await closed.close()
    }
  })

  it("a workspace without login wants a key, whatever key, before anything else", async () => {
    const closed = await startServer({ env: { REQUIRE_WORKSPACE_AUTH: "yes" } })
    try {
      const paths = ["/workspace/tree", "/workspace/file?path=..", "/workspace/nothing"]
      for (const path of paths) {
        for (const headers of [undefined, { "x-api-key": "  " }]) {
          const refused = await closed.call("GET", path, { headers })
          expect(refused).toMatchObject({ status: 401, body: { error: { code: "workspace_unauthorized" } } })
        }
      }
      expect((await closed.call("GET", "/workspace/tree", { headers: { "x-api-key": "any" } })).status).toBe(200)
      expect((await closed.call("GET", "/health")).status).toBe(200)
    } finally {
      await closed.close()
    }
  })
})
