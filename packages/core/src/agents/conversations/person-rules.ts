import { AppError } from "../../errors.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { QuestionContent } from "../questions/schema.ts"
import { type Caller, inAgentTurn } from "./caller.ts"

/** Maximum number of open questions per agent. People couldn't keep up with more. */
const MAX_WAITING = 5

/** Asks people a question on behalf of an agent's turn. The turn waits for the answer. */
export function askPerson(
  caller: Caller,
  { questionId, content }: { questionId: string; content: QuestionContent },
): Rule {
  return inAgentTurn(caller, ({ agentId }, state) => {
    const waiting = state.questions.waiting.filter((question) => question.agentId === agentId)
    if (waiting.length >= MAX_WAITING) {
      const message = `You already have ${waiting.length} open questions to people. Continue without asking another.`
      return new AppError("limit_reached", message, { maximum: MAX_WAITING })
    }
    const about = { run_id: caller.runId, agent_id: agentId, question_id: questionId }
    return [{ type: "question_asked", ...about, kind: content.kind, question: content }]
  })
}

/** Withdraws a question whose answer is no longer needed. */
export function withdrawQuestion(questionId: string, reason: string): Rule {
  return inLiveSession((state) => {
    const question = state.questions.waiting.find((one) => one.questionId === questionId)
    if (!question) return []
    const about = { run_id: question.runId, agent_id: question.agentId, question_id: questionId }
    return [{ type: "question_withdrawn", ...about, reason }]
  })
}
