import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { findAgent } from "@switchyard/core/agents/conversations/rules"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { FilesQuery, WorktreeFiles } from "@switchyard/core/files/worktrees/files-schema"
import { matchingPaths } from "@switchyard/core/files/worktrees/matching-paths"
import { mayHaveWorktree } from "@switchyard/core/files/worktrees/state"
import type { AppDeps } from "../../deps.ts"
import { isFromOwnPage } from "../../http/guards.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"
import { createWorktreeCommands, PendingCommand } from "../../http/worktree-commands.ts"

const endpoint = endpointsOf("agents")

export const routes = {
  files: endpoint.get("/api/v1/sessions/{id}/agents/{agent}/files", {
    summary: "Find files in an agent's worktree by path, for mentioning them in messages",
    description:
      "Leaves out files ignored by git. If the agent has no worktree yet, returns the files that it would start with. Searching a repository or worktree needs a runner, and therefore a token with the scope `run`. With other tokens, searches the session's files.",
    request: {
      params: SessionId.extend({ agent: z.string().min(1).max(100).describe("The agent's ID or name") }),
      query: FilesQuery,
    },
    responses: { ...answers(WorktreeFiles, "The files"), ...answers(PendingCommand, "Still running", 202) },
  }),
}

/** Serves the list of files that messages to agents can mention. */
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
