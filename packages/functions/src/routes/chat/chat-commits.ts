import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { NewChatTurn, StartedChatRun, StartedTurn } from "@switchyard/core/work/chat/request-schema"
import type { AppDeps } from "../../deps.ts"
import { CHAT_PATH, createChatSessions } from "../../http/chat-session.ts"
import { modelKey, principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { RunHeaders, SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("chat")
const NewCommit = NewChatTurn.pick({ request_id: true, model: true, api_key: true })
  .extend({
    message: z.string().trim().min(1).max(5000).optional().describe("If omitted, a small model writes the message"),
  })
  .openapi("NewChatCommit")
const NewReset = z.object({ confirm: z.literal(true) }).openapi("NewChatReset")
const ResetFiles = z.object({ workspace_version: z.int().nonnegative() }).openapi("ResetChatFiles")

export const routes = {
  commit: endpoint.post(`${CHAT_PATH}/commit`, {
    summary: "Commit the chat's files",
    description:
      "This starts a turn whose answer is the commit message. In a repository, all uncommitted changes are committed. For the session's own files, this marks the version that a reset returns to. If the message can't be written, nothing is committed.",
    request: { params: SessionId, headers: RunHeaders, body: jsonBody(NewCommit) },
    responses: answers(StartedTurn, "The turn; its stream reports the progress", 202),
  }),
  reset: endpoint.post(`${CHAT_PATH}/reset`, {
    summary: "Reset the session's files to the last commit, or to their first version if there is none",
    description:
      "The result is a new version. In a repository, uncommitted changes are first committed and then reverted by another commit, so they remain in git's history. This is done by a run, and the response is 202. The chat's `restoring` is set until the run ends.",
    request: { params: SessionId, body: jsonBody(NewReset) },
    responses: {
      ...answers(ResetFiles, "The current version of the files"),
      ...answers(StartedChatRun, "The files of a repository are being reset", 202),
    },
  }),
}

/** Serves commits and resets of a chat's files. */
export function chatCommitRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const { open } = createChatSessions(deps)

  return createRoutes()
    .openapi(routes.commit, async (c) => {
      const { message = null, ...given } = c.req.valid("json")
      const { handle: session } = await open(c, c.req.valid("param").id)
      const caller = { owner: principal(c).owner, session, apiKey: modelKey(c, given.api_key) }
      const { startTurn } = await import("@switchyard/core/sessions/requests/chat-request")
      const asked = { ...NewChatTurn.parse({ ...given, message: "Commit the changes." }), commit: { message } }
      const { requestId, found } = await startTurn({ ...deps, models: deps.config.models }, caller, asked, options)
      return c.json({ status: "started" as const, request_id: requestId, run_id: found.run.runId }, 202)
    })
    .openapi(routes.reset, async (c) => {
      const { session, handle } = await open(c, c.req.valid("param").id)
      if (session.state.session.repository !== null) {
        const { startFilesTask } = await import("@switchyard/core/sessions/moments/chat-files")
        const caller = { owner: principal(c).owner, session, handle }
        const { runId } = await startFilesTask(deps, caller, { task: "reset" }, options)
        return c.json({ status: "started" as const, run_id: runId }, 202)
      }
      const { resetToCommit } = await import("@switchyard/core/sessions/requests/chat-reset")
      await resetToCommit(deps, session, options)
      return c.json({ workspace_version: session.state.workspace.version }, 200)
    })
}
