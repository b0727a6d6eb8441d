import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { Answer, QuestionList } from "@switchyard/core/agents/questions/schema"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("questions")
const LONGEST_WAIT_S = 50

const Wait = z.object({
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(LONGEST_WAIT_S)
    .default(0)
    .describe("Seconds to wait for a question if none is open"),
})
const Accepted = z.object({ success: z.literal(true), question_id: z.string() }).openapi("AnsweredQuestion")

export const routes = {
  listAll: endpoint.get("/api/v1/questions", {
    summary: "List agents' questions in all sessions, newest first",
    request: { query: Wait },
    responses: answers(QuestionList, "The questions"),
  }),
  list: endpoint.get("/api/v1/sessions/{id}/questions", {
    summary: "List the questions from a session's agents, oldest first",
    request: { params: SessionId, query: Wait },
    responses: answers(QuestionList, "The questions"),
  }),
  answer: endpoint.post("/api/v1/sessions/{id}/questions/{question}/answer", {
    summary: "Answer a question",
    description:
      "Only the first answer counts. Later ones get 409 `question_answered`, with the first answer and its author. If the agent has stopped, the response is 404 `question_not_found`.",
    request: { params: SessionId.extend({ question: z.string().max(100) }), body: jsonBody(Answer) },
    responses: answers(Accepted, "Answered"),
  }),
}

const POLL_MS = 500

/** Serves agents' questions to people, and their answers. */
export function questionRoutes(deps: AppDeps): OpenAPIHono {
  const find = (c: Context, id: string, signal: AbortSignal) => deps.sessions.find(principal(c).owner, id, { signal })

  /** Polls `read` until it returns results or the time is up. */
  async function waitFor<T>(read: () => Promise<T[]>, seconds: number, signal: AbortSignal): Promise<T[]> {
    const until = deps.clock.monotonic() + seconds * 1000
    for (;;) {
      const found = await read()
      const left = until - deps.clock.monotonic()
      if (found.length > 0 || left <= 0) return found
      await deps.clock.sleep(Math.min(POLL_MS, left), { signal })
    }
  }

  return createRoutes()
    .openapi(routes.listAll, async (c) => {
      const signal = AbortSignal.any([deps.stopping, c.req.raw.signal])
      const read = () => deps.questions.ofOwner(principal(c).owner, { signal })
      return c.json({ questions: await waitFor(read, c.req.valid("query").wait, signal) }, 200)
    })
    .openapi(routes.list, async (c) => {
      const signal = AbortSignal.any([deps.stopping, c.req.raw.signal])
      const { id } = c.req.valid("param")
      const read = async () => deps.questions.ofSession(await find(c, id, signal), { signal })
      return c.json({ questions: await waitFor(read, c.req.valid("query").wait, signal) }, 200)
    })
    .openapi(routes.answer, async (c) => {
      const { id, question } = c.req.valid("param")
      const session = await find(c, id, deps.stopping)
      const { owner } = principal(c)
      const given = { answer: c.req.valid("json"), owner, by: owner }
      await deps.questions.answer(session, question, given, protectedOptions(c, deps))
      return c.json({ success: true as const, question_id: question }, 200)
    })
}
