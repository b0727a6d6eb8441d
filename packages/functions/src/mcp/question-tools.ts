import { Answer, QuestionList } from "@switchyard/core/agents/questions/schema"
import * as z from "zod"
import { type Tools, tool } from "./tool.ts"

/** Provides the tools for agents' questions to people. */
export const questionTools: Tools = (deps) => {
  const options = { signal: deps.stopping }
  return {
    list_questions: tool({
      title: "List questions",
      description: "Lists agents' open questions, in one session or in all of them.",
      route: "GET /api/v1/questions",
      readOnly: true,
      input: z.object({ session_id: z.string().max(200).optional() }),
      output: QuestionList,
      async call({ session_id }, { principal: { owner } }) {
        if (session_id === undefined) return { questions: await deps.questions.ofOwner(owner, options) }
        const session = await deps.sessions.find(owner, session_id, options)
        return { questions: await deps.questions.ofSession(session, options) }
      },
    }),
    answer_question: tool({
      title: "Answer a question",
      description:
        "Answers an agent's question with the answer given by the person you work for. Only the first answer counts: later ones fail with question_answered.",
      route: "POST /api/v1/sessions/:id/questions/:question/answer",
      readOnly: false,
      input: z.object({ session_id: z.string().max(200), question_id: z.string().max(100), ...Answer.shape }),
      output: z.object({ question_id: z.string(), answered: z.literal(true) }),
      async call({ session_id, question_id, ...answer }, { principal: { owner }, mayLoosen }) {
        const session = await deps.sessions.find(owner, session_id, options)
        await deps.questions.answer(session, question_id, { answer, owner, by: owner }, { ...options, mayLoosen })
        return { question_id, answered: true as const }
      },
    }),
  }
}
