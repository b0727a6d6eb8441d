import { type OpenAPIHono, z } from "@hono/zod-openapi"
import type { OwnedSession } from "@switchyard/core/sessions/agents/agents"
import { BakeOff, BakeOffs, NewBakeOff, SettleBakeOff, SettledBakeOff } from "@switchyard/core/work/bake-offs/schema"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"
import { createWorktreeCommands } from "../../http/worktree-commands.ts"

const endpoint = endpointsOf("bake-offs")
const OfBakeOff = SessionId.extend({ bake_off: z.string().max(100) })

export const routes = {
  create: endpoint.post("/api/v1/sessions/{id}/bake-offs", {
    summary: "Give one task to several agents or models, and compare the results",
    description:
      "Each agent joins the session with its own worktree. All start from the same commit. Their work has to pass the same checks, unless `verify` is false. The session needs a repository. Repeating the request with the same `Idempotency-Key` returns the same comparison.",
    request: {
      params: SessionId,
      headers: z.object({ "idempotency-key": z.string().min(1).max(255).optional() }),
      body: jsonBody(NewBakeOff),
    },
    responses: answers(BakeOff, "The comparison", 201),
  }),
  list: endpoint.get("/api/v1/sessions/{id}/bake-offs", {
    summary: "List a session's comparisons, with their tables",
    request: { params: SessionId },
    responses: answers(BakeOffs, "The comparisons"),
  }),
  get: endpoint.get("/api/v1/sessions/{id}/bake-offs/{bake_off}", {
    summary: "Get a comparison's table: check results, cost, time and diff size",
    request: { params: OfBakeOff },
    responses: answers(BakeOff, "The comparison"),
  }),
  settle: endpoint.post("/api/v1/sessions/{id}/bake-offs/{bake_off}/settle", {
    summary: "Keep one agent's work, and discard the rest",
    description:
      "Merges the work like `POST …/worktree/merge`. Then stops and closes the other agents, and removes their worktrees and branches. If the merge is refused or has conflicts, nothing changes, and you can choose another agent.",
    request: { params: OfBakeOff, body: jsonBody(SettleBakeOff) },
    responses: answers(SettledBakeOff, "The outcome"),
  }),
}

/** Serves comparisons of agents and models on the same task. */
export function bakeOffRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const commands = createWorktreeCommands(deps)

  async function load() {
    const { createBakeOffs } = await import("@switchyard/core/sessions/bake-offs/bake-offs")
    return createBakeOffs(deps)
  }

  async function find(c: Context, id: string): Promise<OwnedSession> {
    const { owner } = principal(c)
    return { ...(await deps.sessions.find(owner, id, options)), owner }
  }

  return createRoutes()
    .openapi(routes.create, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      const key = c.req.valid("header")["idempotency-key"]
      return c.json(
        await (await load()).start(session, c.req.valid("json"), { key, ...protectedOptions(c, deps) }),
        201,
      )
    })
    .openapi(routes.list, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      return c.json({ bake_offs: await (await load()).list(session, options) }, 200)
    })
    .openapi(routes.get, async (c) => {
      const { id, bake_off } = c.req.valid("param")
      return c.json(await (await load()).get(await find(c, id), bake_off, options), 200)
    })
    .openapi(routes.settle, async (c) => {
      const { id, bake_off } = c.req.valid("param")
      const session = await find(c, id)
      return c.json(await (await load()).settle(session, bake_off, c.req.valid("json"), commands.deadline()), 200)
    })
}
