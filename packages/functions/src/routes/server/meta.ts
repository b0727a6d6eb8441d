import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AgentIsolation } from "@switchyard/core/agents/runner/isolation-schema"
import { MAX_EDITABLE_CHARS } from "@switchyard/core/files/workspaces/text"
import { demoModelName } from "@switchyard/core/models/providers/scripted"
import { defaultModel } from "@switchyard/core/models/resolve"
import { graphSchema } from "@switchyard/core/work/workflow/graph-schema"
import { MAX_MUTABLE_PROMPT_CHARS } from "@switchyard/core/work/workflow/prompts/mutable-prompts"
import type { AppDeps } from "../../deps.ts"
import { answers, createRoutes, endpointsOf } from "../../http/routing.ts"

const endpoint = endpointsOf("about")

const Health = z
  .object({
    status: z.string(),
    provider: z.string(),
    default_model: z.string(),
    max_mutable_prompt_chars: z.int(),
    max_editable_file_chars: z.int(),
    workspace_auth_required: z
      .boolean()
      .describe("True if `/workspace/*` requires a token or, on a server without login, an `X-API-KEY`"),
    app_env: z.string(),
    cors_configured: z.boolean(),
  })
  .openapi("Health")

const Status = z
  .object({ status: z.literal("healthy"), version: z.string(), uptime_seconds: z.number() })
  .openapi("Status")

/** Configuration that the studio needs before it can send any other request. */
const StudioConfig = z
  .object({
    api_base: z.string().describe("Base URL of the API; empty if it is this origin"),
    version: z.string(),
    auth_mode: z.enum(["open", "token"]),
    app_env: z.string(),
    default_model: z.string(),
    demo: z.boolean().describe("True if the default model is the built-in demo"),
    sockets: z.boolean().describe("True if the server supports WebSockets at `/ws`"),
    agents: AgentIsolation.nullable().describe("How agents on this server are isolated, if known"),
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

function get<P extends string, T extends z.ZodType>(path: P, summary: string, schema: T, description: string) {
  return endpoint.get(path, { summary, responses: answers(schema, description) })
}

const promptAliases = ["/prompts/schema", "/v1/prompts/schema", "/api/prompts"] as const

export const routes = {
  health: get("/health", "Get the server's configuration", Health, "The configuration"),
  status: get("/status", "Get the server's status and uptime", Status, "The status"),
  config: get("/config.json", "Get the studio's configuration", StudioConfig, "The configuration"),
  prompts: promptAliases.map((path) =>
    get(path, "Get the prompts of the workflow's three nodes", PromptSchema, "Locked and open layers"),
  ),
  promptPolicy: get("/v1/prompt-policy", "Get the rules for prompts", PromptPolicy, "The policy"),
  graph: get("/graph/schema", "Get the workflow's graph", GraphSchema, "Nodes and edges"),
}

/** Serves public information about this installation. */
export function metaRoutes(deps: AppDeps): OpenAPIHono {
  const { config, clock, version } = deps
  const startedAt = clock.monotonic()
  const app = createRoutes()

  app.openapi(routes.health, (c) => {
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
  app.openapi(routes.status, (c) => {
    const uptime = Math.floor((clock.monotonic() - startedAt) / 1000)
    return c.json({ status: "healthy" as const, version, uptime_seconds: uptime }, 200)
  })
  app.openapi(routes.config, (c) => {
    const model = defaultModel(config.models)
    const settings = {
      api_base: "",
      version,
      auth_mode: config.auth.mode,
      app_env: config.appEnv,
      default_model: model,
      demo: model === demoModelName,
      sockets: deps.sockets ?? false,
      agents: deps.agents?.isolation ?? null,
    }
    c.header("Cache-Control", "no-cache")
    return c.json(settings, 200)
  })
  for (const prompts of routes.prompts) app.openapi(prompts, async (c) => c.json(await readPrompts(), 200))
  app.openapi(routes.promptPolicy, async (c) => c.json((await readPrompts()).policy, 200))
  app.openapi(routes.graph, (c) => c.json(graphSchema(), 200))
  return app
}

/** Loads the prompts on demand, because no other request needs them. */
async function readPrompts() {
  const { promptSchema } = await import("@switchyard/core/work/workflow/prompts/prompts")
  return promptSchema()
}
