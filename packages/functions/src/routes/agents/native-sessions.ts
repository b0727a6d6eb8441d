import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { ListedNativeSession, TerminalCommand } from "@switchyard/core/agents/native-sessions/schema"
import { namedRepository } from "@switchyard/core/agents/tasks/new-task"
import { AppError } from "@switchyard/core/errors"
import { folderOf } from "@switchyard/core/files/worktrees/remote"
import { nativeSessionsOf } from "@switchyard/core/sessions/requests/agent-host"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("agents")
const NativeSessions = z.object({ sessions: z.array(ListedNativeSession) }).openapi("NativeSessions")

export const routes = {
  list: endpoint.get("/api/v1/native-sessions", {
    summary: "List the sessions of agents' programs that you began in your own terminal, in a folder",
    description:
      "Reads the home of the server's user, so only that person can use it: on a local server, as its owner or with the admin token. Lists at most 50 sessions, newest first.",
    request: { query: z.object({ project_path: z.string().trim().min(1).max(4096) }) },
    responses: answers(NativeSessions, "The sessions"),
  }),
  continue: endpoint.post("/api/v1/sessions/{id}/agents/{agent}/own-terminal", {
    summary: "Copy an idle agent's session to your home, and get the command that continues it in your own terminal",
    description:
      "The command resumes the session in the agent's worktree. An existing copy in the home is extended, but never replaced by different content. For Claude Code and Codex, on a local server, for the person who runs it.",
    request: { params: SessionId.extend({ agent: z.string().min(1).max(100).describe("The agent's ID or name") }) },
    responses: answers(TerminalCommand, "The command"),
  }),
}

/** Serves the sessions in the home of the person who runs this server. */
export function nativeSessionRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  return createRoutes()
    .openapi(routes.list, async (c) => {
      const sessions = nativeSessionsOf(deps.agents, principal(c).owner)
      const folder = folderOf(namedRepository(c.req.valid("query").project_path, { local: true }))
      if (folder === undefined) throw new AppError("task_invalid", "Name a folder on the server's machine.")
      return c.json({ sessions: await sessions.list(folder, options) }, 200)
    })
    .openapi(routes.continue, async (c) => {
      const { id, agent } = c.req.valid("param")
      const { owner } = principal(c)
      const session = { ...(await deps.sessions.find(owner, id, options)), owner }
      const { continueInTerminal } = await import("@switchyard/core/sessions/agents/own-terminal")
      return c.json(await continueInTerminal(deps, session, agent, options), 200)
    })
}
