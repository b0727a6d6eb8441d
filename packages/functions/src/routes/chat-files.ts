import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import { ChatFiles, Selection, StartedChatRun } from "@switchyard/core/work/chat/request-schema"
import { selectFiles } from "@switchyard/core/work/chat/rules"
import type { AppDeps } from "../deps.ts"
import { CHAT_PATH, createChatSessions } from "../http/chat-session.ts"
import { principal } from "../http/request.ts"
import { answers, createRoutes, jsonBody } from "../http/routing.ts"
import { SessionId } from "../http/schemas.ts"

const tags = ["chat"]
const SelectedFiles = z.object({ files: z.array(z.string().max(1024)).max(1000) }).openapi("SelectedFiles")

export const routes = {
  select: createRoute({
    method: "put",
    path: `${CHAT_PATH}/selection`,
    tags,
    summary: "Select the files that the model is shown in full",
    request: {
      params: SessionId,
      body: jsonBody(SelectedFiles),
    },
    responses: answers(Selection, "The selection, and what can't be selected"),
  }),
  files: createRoute({
    method: "get",
    path: `${CHAT_PATH}/files`,
    tags,
    summary: "List the files that the chat is about",
    description: "Those of the session, or all of its repository's worktree as they were last read.",
    request: { params: SessionId },
    responses: answers(ChatFiles, "The files"),
  }),
  readFiles: createRoute({
    method: "post",
    path: `${CHAT_PATH}/files`,
    tags,
    summary: "Read the files of the session's repository anew",
    description:
      "Each turn does that by itself. A worktree is made if there is none, which takes as long as a clone does, so a run does it, with 202 as the answer: until it ends, `reading` of the chat says so. All who ask meanwhile get that run.",
    request: { params: SessionId },
    responses: {
      ...answers(ChatFiles, "The session's own files, which are always as they are"),
      ...answers(StartedChatRun, "The repository's files are being read", 202),
    },
  }),
}

/** The files that a chat is about, and the selection of them. */
export function chatFileRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const { find, open, decide } = createChatSessions(deps)

  // Loaded with the first request that needs it, so that the API is small when it starts.
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
