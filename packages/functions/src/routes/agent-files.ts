import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import { findAgent } from "@switchyard/core/agents/conversations/rules"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { FilesQuery, WorktreeFiles } from "@switchyard/core/files/worktrees/files-schema"
import { matchingPaths } from "@switchyard/core/files/worktrees/matching-paths"
import { mayHaveWorktree } from "@switchyard/core/files/worktrees/state"
import type { AppDeps } from "../deps.ts"
import { isFromOwnPage } from "../http/guards.ts"
import { principal } from "../http/request.ts"
import { answers, createRoutes } from "../http/routing.ts"
import { SessionId } from "../http/schemas.ts"
import { createWorktreeCommands, PendingCommand } from "../http/worktree-commands.ts"

export const routes = {
  files: createRoute({
    method: "get",
    path: "/api/v1/sessions/{id}/agents/{agent}/files",
    tags: ["agents"],
    summary: "Find files of an agent's worktree by their paths, to mention them",
    description:
      "Without what git ignores; where it has no worktree yet, those that it would begin with. With a repository, or a worktree, that takes a runner, and so a token with the scope `run`; others get the session's files.",
    request: {
      params: SessionId.extend({ agent: z.string().min(1).max(100).describe("Its id or its name") }),
      query: FilesQuery,
    },
    responses: { ...answers(WorktreeFiles, "The files"), ...answers(PendingCommand, "Still running", 202) },
  }),
}

/** The files that can be mentioned to agents. */
export function agentFileRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const commands = createWorktreeCommands(deps)

  return createRoutes().openapi(routes.files, async (c) => {
    const { id, agent } = c.req.valid("param")
    const { owner, scopes } = principal(c)
    const session = await deps.sessions.find(owner, id, options)
    const { worktree } = findAgent(session.state, agent)
    const query = c.req.valid("query")
    const isInGit = session.state.session.repository !== null || mayHaveWorktree(session.state, worktree)
    if (isInGit && deps.agents && scopes.includes("run") && isFromOwnPage(deps.config, c)) {
      return commands.sendTo(c, { session, worktree }, { question: "files", ...query })
    }
    const { manifest } = await openWorkspace(deps, session, options)
    const paths = manifest.files.map(({ path }) => path)
    return c.json({ files: matchingPaths(paths, query.q, query.limit), total: paths.length }, 200)
  })
}
