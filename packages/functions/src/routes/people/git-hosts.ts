import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { GitHost, GitHostName, NewGitHost } from "@switchyard/core/people/git-hosts/schema"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { requireSafeUrl } from "../../http/safe-url.ts"

const endpoint = endpointsOf("git hosts")
const GitHostList = z.object({ git_hosts: z.array(GitHost) }).openapi("GitHosts")
const Removed = z.object({ host: z.string(), deleted: z.literal(true) }).openapi("DeletedGitHost")
const params = z.object({ host: GitHostName })

export const routes = {
  list: endpoint.get("/api/v1/git-hosts", {
    summary: "List your git hosts",
    responses: answers(GitHostList, "All git hosts, without their tokens"),
  }),
  put: endpoint.put("/api/v1/git-hosts/{host}", {
    summary: "Add a token for a git host, or replace it",
    description:
      "Sessions whose repositories are on this host use the token to clone, fetch and push. This includes sessions that are already open. The token is only sent to this host.",
    request: { params, body: jsonBody(NewGitHost) },
    responses: answers(GitHost, "The git host, without its token"),
  }),
  remove: endpoint.delete("/api/v1/git-hosts/{host}", {
    summary: "Delete the token for a git host",
    request: { params },
    responses: answers(Removed, "Deleted"),
  }),
}

/** Serves an owner's credentials for git hosts. */
export function gitHostRoutes({ gitHosts, gitHostGrants, hosts, stopping }: AppDeps): OpenAPIHono {
  const options = { signal: stopping }
  const requireSafe = (url: URL) =>
    requireSafeUrl(hosts, url, "Tokens are only sent over the internet with https.", options)

  return createRoutes()
    .openapi(routes.list, async (c) => c.json({ git_hosts: await gitHosts.list(principal(c).owner, options) }, 200))
    .openapi(routes.put, async (c) => {
      const settings = c.req.valid("json")
      const url = new URL(`${settings.scheme}://${c.req.valid("param").host}`)
      // Take the host from the URL, which omits the default port. Repository URLs omit it too.
      const { host } = url
      await requireSafe(url)
      if (settings.api_url) await requireSafe(new URL(settings.api_url))
      return c.json(await gitHostGrants.put(principal(c).owner, host, settings, options), 200)
    })
    .openapi(routes.remove, async (c) => {
      const { host } = c.req.valid("param")
      await gitHostGrants.remove(principal(c).owner, host, options)
      return c.json({ host, deleted: true as const }, 200)
    })
}
