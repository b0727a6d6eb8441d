import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { Answer, type Question, type QuestionContent } from "@switchyard/core/agents/questions/schema"
import { AppError, isAppError } from "@switchyard/core/errors"
import { ANSWER_PATH, type AnswerGrant, answerLink } from "@switchyard/core/people/access/answer-links"
import { sessionName } from "@switchyard/core/sessions/session-name"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { STATUS } from "../../http/errors.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("questions")
const DAY_MINUTES = 24 * 60

const NewLink = z
  .object({
    valid_minutes: z
      .int()
      .min(1)
      .max(7 * DAY_MINUTES)
      .default(DAY_MINUTES),
  })
  .openapi("NewAnswerLink")
const AnswerLink = z
  .object({
    link: z
      .string()
      .describe("Path of the page on this server. The link grants permission only to answer this question"),
    expires_at: z.iso.datetime(),
  })
  .openapi("AnswerLink")

export const routes = {
  create: endpoint.post("/api/v1/sessions/{id}/questions/{question}/link", {
    summary: "Create a link to a page for answering a question without logging in",
    description:
      "The page works without JavaScript. Opening it doesn't answer the question, so link previews are safe. As everywhere, only the first answer counts.",
    request: {
      params: SessionId.extend({ question: z.string().max(100) }),
      body: { ...jsonBody(NewLink), required: false },
    },
    responses: answers(AnswerLink, "The link", 201),
  }),
}

/** Serves links to questions and the pages behind them. */
export function answerLinkRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }

  async function waiting(owner: string, sessionId: string, questionId: string) {
    const session = await deps.sessions.find(owner, sessionId, options)
    const questions = await deps.questions.ofSession(session, options)
    return { session, question: questions.find((one) => one.question_id === questionId) }
  }

  const loadPages = () => import("../../http/answer-page.ts")

  /** Handles a request from a page. Errors are also sent as pages, because a browser shows them. */
  async function asPage(c: Context, task: (grant: AnswerGrant) => Promise<Response>): Promise<Response> {
    try {
      return await task(deps.access.answerLinks.verify(c.req.query("link") ?? ""))
    } catch (error) {
      const wantsPage = c.req.header("accept")?.includes("text/html")
      if (!(error instanceof AppError) || !wantsPage || STATUS[error.code] >= 500) throw error
      const { noticePage, ANSWER_PAGE_HEADERS } = await loadPages()
      return c.html(noticePage(titleOf(error), error.message), STATUS[error.code], ANSWER_PAGE_HEADERS)
    }
  }

  const routed = createRoutes().openapi(routes.create, async (c) => {
    const { id, question: questionId } = c.req.valid("param")
    const { owner } = principal(c)
    const { question } = await waiting(owner, id, questionId)
    if (!question) throw notWaiting(questionId)
    const expires = deps.clock.now() + (c.req.valid("json")?.valid_minutes ?? DAY_MINUTES) * 60_000
    const text = deps.access.answerLinks.sign({ owner, session_id: id, question_id: questionId, expires })
    return c.json({ link: answerLink(text), expires_at: new Date(expires).toISOString() }, 201)
  })

  routed.get(ANSWER_PATH, (c) =>
    asPage(c, async ({ owner, session_id, question_id }) => {
      const { session, question } = await waiting(owner, session_id, question_id)
      if (!question) throw notWaiting(question_id)
      const { questionPage, ANSWER_PAGE_HEADERS } = await loadPages()
      const about = { session: sessionName(session.state) }
      return c.html(questionPage(question.question, about), 200, ANSWER_PAGE_HEADERS)
    }),
  )

  routed.post(ANSWER_PATH, (c) =>
    asPage(c, async ({ owner, session_id, question_id }) => {
      const { session, question } = await waiting(owner, session_id, question_id)
      const answer = answerOf(question, await c.req.parseBody({ all: true }))
      await deps.questions.answer(session, question_id, { answer, owner, by: `${owner} (link)` }, options)
      const { noticePage, ANSWER_PAGE_HEADERS } = await loadPages()
      const text = "The agent continues. You can close this page."
      return c.html(noticePage("Answered", text), 200, ANSWER_PAGE_HEADERS)
    }),
  )
  return routed
}

/**
 * Reads the answer from a form. Throws `validation_error` if the choice, or the answer to any part of the question, is
 * missing.
 */
function answerOf(question: Question | undefined, form: Record<string, unknown>): Answer {
  const text = typeof form.text === "string" && form.text.trim() !== "" ? form.text : undefined
  const isDenied = form.choice === "deny"
  const chosen = isDenied || question?.question.kind !== "choice" ? undefined : chosenOf(question.question, form)
  const parsed = Answer.safeParse({ choice: form.choice, text: isDenied ? text : undefined, answers: chosen })
  if (parsed.success) return parsed.data
  throw new AppError("validation_error", "Choose one of the answers.")
}

function chosenOf({ questions }: Extract<QuestionContent, { kind: "choice" }>, form: Record<string, unknown>) {
  const labels = questions.map(({ question, options }, at) => {
    const given = [form[`answer_${at}`]].flat()
    const known = options.map(({ label }) => label).filter((label) => given.includes(label))
    if (known.length === 0) throw new AppError("validation_error", `Choose an answer to: ${question}`)
    return [question, known.join(", ")] as const
  })
  return Object.fromEntries(labels)
}

function notWaiting(questionId: string): AppError {
  return new AppError("question_not_found", "There is no open question with this ID.", { question_id: questionId })
}

function titleOf(error: AppError): string {
  if (isAppError(error, "question_answered")) return "Already answered"
  if (isAppError(error, "validation_error")) return "Not answered"
  return isAppError(error, "forbidden") ? "This link can't be used" : "This question no longer needs an answer"
}
