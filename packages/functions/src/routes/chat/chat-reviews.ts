import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { StartedChatRun } from "@switchyard/core/work/chat/request-schema"
import { endReview } from "@switchyard/core/work/chat/rules"
import type { AppDeps } from "../../deps.ts"
import { CHAT_PATH, createChatSessions } from "../../http/chat-session.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("chat")
const name = z.string().trim().min(1).max(250).nullish()
const NewReview = z
  .object({
    base: name.describe("A branch, tag or commit; if omitted, the start of the session's work"),
    tip: name.describe("A branch, tag or commit; if omitted, the worktree's current files"),
  })
  .openapi("NewChatReview")
const EndedReview = z.object({ status: z.literal("ended") }).openapi("EndedChatReview")

export const routes = {
  begin: endpoint.post(`${CHAT_PATH}/review`, {
    summary: "Review a repository's changes in the chat",
    description:
      "Compares the tip with its merge base. The model sees the current changes with each message, and edits aren't applied until the review ends. Branches and files aren't changed. A run compares the files. The chat's `restoring` is set until the run ends; after that, `review` describes the changes.",
    request: { params: SessionId, body: jsonBody(NewReview) },
    responses: answers(StartedChatRun, "The changes are being read", 202),
  }),
  end: endpoint.delete(`${CHAT_PATH}/review`, {
    summary: "End the review. Edits are applied again",
    request: { params: SessionId },
    responses: answers(EndedReview, "No review is open"),
  }),
}

/** Serves a chat's reviews. */
export function chatReviewRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const { open, decide } = createChatSessions(deps)

  return createRoutes()
    .openapi(routes.begin, async (c) => {
      const { base = null, tip = null } = c.req.valid("json")
      const { session, handle } = await open(c, c.req.valid("param").id)
      const { requireRepository, startFilesTask } = await import("@switchyard/core/sessions/moments/chat-files")
      requireRepository(session, "Only a repository's changes can be reviewed.")
      const caller = { owner: principal(c).owner, session, handle }
      const { runId } = await startFilesTask(deps, caller, { task: "review", base, tip }, options)
      return c.json({ status: "started" as const, run_id: runId }, 202)
    })
    .openapi(routes.end, async (c) => {
      await decide(c, c.req.valid("param").id, endReview())
      return c.json({ status: "ended" as const }, 200)
    })
}
