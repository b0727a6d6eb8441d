import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { ChatFiles, Selection, StartedChatRun } from "@switchyard/core/work/chat/request-schema"
import { selectFiles } from "@switchyard/core/work/chat/rules"
import type { AppDeps } from "../../deps.ts"
import { CHAT_PATH, createChatSessions } from "../../http/chat-session.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("chat")
const SelectedFiles = z.object({ files: z.array(z.string().max(1024)).max(1000) }).openapi("SelectedFiles")

export const routes = {
  select: endpoint.put(`${CHAT_PATH}/selection`, {
    summary: "Select the files shown to the model in full",
    request: {
      params: SessionId,
      body: jsonBody(SelectedFiles),
    },
    responses: answers(Selection, "The selection, and any files that can't be selected"),
  }),
  files: endpoint.get(`${CHAT_PATH}/files`, {
    summary: "List a chat's files",
    description: "The session's own files, or all files of the repository's worktree as last read.",
    request: { params: SessionId },
    responses: answers(ChatFiles, "The files"),
  }),
  readFiles: endpoint.post(`${CHAT_PATH}/files`, {
    summary: "Reload the files of the session's repository",
    description:
      "Each turn does this automatically. If the worktree is missing, it is created, which takes as long as a clone. This is done by a run, and the response is 202. The chat's `reading` is set until the run ends. Concurrent requests return the same run.",
    request: { params: SessionId },
    responses: {
      ...answers(ChatFiles, "The session's own files, which are always current"),
      ...answers(StartedChatRun, "The repository's files are being read", 202),
    },
  }),
}

/** Serves a chat's files and the user's selection of them. */
export function chatFileRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const { find, open, decide } = createChatSessions(deps)

  // Load this module on demand, so that the API starts faster.
  const loadView = () => import("@switchyard/core/work/chat/history/read-chat")
  return createRoutes()
    .openapi(routes.select, async (c) => {
      const { id } = c.req.valid("param")
      const session = await find(c, id)
      const { checkSelection } = await loadView()
      const selection = await checkSelection(deps, session, c.req.valid("json").files, options)
      await decide(c, id, selectFiles(selection.selected_files))
      return c.json(selection, 200)
    })
    .openapi(routes.files, async (c) => {
      const { listChatFiles } = await import("@switchyard/core/work/chat/files/chat-files")
      return c.json(await listChatFiles(deps, await find(c, c.req.valid("param").id), options), 200)
    })
    .openapi(routes.readFiles, async (c) => {
      const { session, handle } = await open(c, c.req.valid("param").id)
      if (session.state.session.repository === null) {
        const { listChatFiles } = await import("@switchyard/core/work/chat/files/chat-files")
        return c.json(await listChatFiles(deps, session, options), 200)
      }
      const { startFilesTask } = await import("@switchyard/core/sessions/moments/chat-files")
      const caller = { owner: principal(c).owner, session, handle }
      const { runId } = await startFilesTask(deps, caller, { task: "read" }, options)
      return c.json({ status: "started" as const, run_id: runId }, 202)
    })
}
