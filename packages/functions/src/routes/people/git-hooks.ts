import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { CreatedGitHook, GitHookAnswer, ListedGitHook, NewGitHook } from "@switchyard/core/people/git-hooks/schema"
import { requireHookAgent, withProblem } from "@switchyard/core/sessions/git-hooks/hook-agent"
import { checkedRepository } from "@switchyard/core/sessions/requests/agent-request"
import type { AppDeps } from "../../deps.ts"
import { rateLimit } from "../../http/authorize.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"

const endpoint = endpointsOf("git hooks")
const GitHookList = z.object({ git_hooks: z.array(ListedGitHook) }).openapi("GitHooks")
const Removed = z.object({ id: z.string(), deleted: z.literal(true) }).openapi("DeletedGitHook")
/** Accepts any text. Text that isn't a valid ID simply matches no hook. */
const params = z.object({ hook: z.string().max(100) })

export const routes = {
  list: endpoint.get("/api/v1/git-hooks", {
    summary: "List your git hooks",
    responses: answers(GitHookList, "All git hooks, without their secrets"),
  }),
  create: endpoint.post("/api/v1/git-hooks", {
    summary: "Create a git hook, through which a git host starts agent runs",
    request: { body: jsonBody(NewGitHook) },
    responses: answers(CreatedGitHook, "The git hook, with its secret", 201),
  }),
  remove: endpoint.delete("/api/v1/git-hooks/{hook}", {
    summary: "Delete a git hook",
    request: { params },
    responses: answers(Removed, "Deleted"),
  }),
  deliver: endpoint.post("/api/v1/git-hooks/{hook}/deliveries", {
    summary: "Receive a delivery from GitHub or GitLab, authorized by its signature",
    description:
      "Starts the run that the hook's rules request. Repeating a delivery doesn't start another run. Deliveries of events older than an hour are refused.",
    request: { params },
    responses: answers(GitHookAnswer, "The run that was started, if any"),
  }),
}

/** Serves the webhooks that git hosts call to start runs. */
export function gitHookRoutes(deps: AppDeps): OpenAPIHono {
  const { gitHooks, stopping } = deps
  const options = { signal: stopping }
  const perMinute = deps.config.perMinute.runs
  const requireRate = async (owner: string) => {
    if (perMinute) await rateLimit(deps, { name: "runs", perMinute }, owner)
  }

  return createRoutes()
    .openapi(routes.list, async (c) => {
      const { owner } = principal(c)
      const listed = await gitHooks.list(owner, options)
      return c.json({ git_hooks: await Promise.all(listed.map((one) => withProblem(deps, owner, one, options))) }, 200)
    })
    .openapi(routes.create, async (c) => {
      const settings = c.req.valid("json")
      const { owner } = principal(c)
      await requireHookAgent(deps, owner, settings.coding_agent, options)
      const repository = (await checkedRepository(deps, settings.repository, options))?.url ?? settings.repository
      return c.json(await gitHooks.create(owner, { ...settings, repository }, options), 201)
    })
    .openapi(routes.remove, async (c) => {
      const { hook } = c.req.valid("param")
      await gitHooks.remove(principal(c).owner, hook, options)
      return c.json({ id: hook, deleted: true as const }, 200)
    })
    .openapi(routes.deliver, async (c) => {
      const { receiveDelivery } = await import("@switchyard/core/sessions/git-hooks/receive")
      const delivery = { headers: c.req.header(), body: await c.req.text() }
      const all = { ...deps, models: deps.config.models, requireRate }
      return c.json(await receiveDelivery(all, c.req.valid("param").hook, delivery, options), 200)
    })
}
