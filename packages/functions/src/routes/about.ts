import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import { MAX_EDITABLE_CHARS } from "@switchyard/core/files/workspaces/text"
import { demoModelName } from "@switchyard/core/models/names"
import { defaultModel } from "@switchyard/core/models/resolve"
import { graphSchema } from "@switchyard/core/work/workflow/graph-schema"
import { MAX_MUTABLE_PROMPT_CHARS, promptSchema } from "@switchyard/core/work/workflow/prompts"
import type { AppDeps } from "../deps.ts"
import { answers, createRoutes } from "../http/routing.ts"

const tags = ["about"]

const Health = z
  .object({
    status: z.string(),
    provider: z.string(),
    default_model: z.string(),
    max_mutable_prompt_chars: z.int(),
    max_editable_file_chars: z.int(),
    workspace_auth_required: z
      .boolean()
      .describe("Whether `/workspace/*` takes a token or, on a server without log-in, an `X-API-KEY`"),
    app_env: z.string(),
    cors_configured: z.boolean(),
  })
  .openapi("Health")

const Status = z
  .object({ status: z.literal("healthy"), version: z.string(), uptime_seconds: z.number() })
  .openapi("Status")

/** What the studio must know before it asks anything else. */
const StudioConfig = z
  .object({
    api_base: z.string().describe("Where the API is; empty for where this came from"),
    version: z.string(),
    auth_mode: z.enum(["open", "token"]),
    app_env: z.string(),
    default_model: z.string(),
    demo: z.boolean().describe("Whether the default model only plays one"),
  })
  .openapi("StudioConfig")

const NodePrompt = z.object({ immutable_prefix: z.string(), default_mutable: z.string() })
const PromptPolicy = z
  .object({ max_mutable_prompt_chars: z.int(), immutable_rules: z.array(z.string()) })
  .openapi("PromptPolicy")
const PromptSchema = z
  .object({
    nodes: z.object({ planner: NodePrompt, architect: NodePrompt, coder: NodePrompt }),
    policy: PromptPolicy,
  })
  .openapi("PromptSchema")

const GraphNode = z.object({
  id: z.string(),
  label: z.string(),
  type: z.string(),
  position: z.object({ x: z.number(), y: z.number() }),
  data: z.object({ role: z.string() }),
})
const GraphEdge = z.object({
  id: z.string(),
  source: z.string(),
  target: z.string(),
  type: z.string(),
  animated: z.boolean(),
})
const GraphSchema = z
  .object({
    graph_id: z.string(),
    nodes: z.array(GraphNode),
    edges: z.array(GraphEdge),
    state_model: z.array(z.string()),
    activity_model: z.object({ min: z.number(), max: z.number() }),
  })
  .openapi("GraphSchema")

function get(path: string, summary: string, responses: ReturnType<typeof answers>) {
  return createRoute({ method: "get", path, tags, summary, responses })
}

const promptAliases = ["/prompts/schema", "/v1/prompts/schema", "/api/prompts"]

/** What anyone may know of this installation. */
export function aboutRoutes(deps: AppDeps): OpenAPIHono {
  const { config, clock, version } = deps
  const startedAt = clock.monotonic()
  const app = createRoutes()

  app.openapi(get("/health", "How this server is set up", answers(Health, "Its settings")), (c) => {
    const model = defaultModel(config.models)
    const health = {
      status: "ok",
      provider: model.split("/")[0] ?? "",
      default_model: model,
      max_mutable_prompt_chars: MAX_MUTABLE_PROMPT_CHARS,
      max_editable_file_chars: MAX_EDITABLE_CHARS,
      workspace_auth_required: config.workspaceAuth !== "none",
      app_env: config.appEnv,
      cors_configured: config.cors.configured,
    }
    return c.json(health, 200)
  })
  app.openapi(get("/status", "Whether it runs, and since when", answers(Status, "It does")), (c) => {
    const uptime = Math.floor((clock.monotonic() - startedAt) / 1000)
    return c.json({ status: "healthy" as const, version, uptime_seconds: uptime }, 200)
  })
  app.openapi(get("/config.json", "What the studio begins with", answers(StudioConfig, "Its settings")), (c) => {
    const model = defaultModel(config.models)
    const settings = {
      api_base: "",
      version,
      auth_mode: config.auth.mode,
      app_env: config.appEnv,
      default_model: model,
      demo: model === demoModelName,
    }
    c.header("Cache-Control", "no-cache")
    return c.json(settings, 200)
  })
  for (const path of promptAliases) {
    app.openapi(get(path, "The prompts of the three nodes", answers(PromptSchema, "Locked and open layers")), (c) =>
      c.json(promptSchema(), 200),
    )
  }
  app.openapi(get("/v1/prompt-policy", "The rules for prompts", answers(PromptPolicy, "The policy")), (c) =>
    c.json(promptSchema().policy, 200),
  )
  app.openapi(get("/graph/schema", "The graph that a run goes through", answers(GraphSchema, "Nodes and edges")), (c) =>
    c.json(graphSchema(), 200),
  )
  return app
}
