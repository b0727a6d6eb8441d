import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"

/**
 * Keeps a question open after its run has ended, because the agent is no longer waiting. Does nothing if the question
 * has been answered.
 */
export function keepQuestion(questionId: string): Rule {
  return (state) => {
    const question = state.questions.waiting.find((one) => one.questionId === questionId)
    if (!question || question.isKept) return []
    return [{ type: "question_kept", run_id: question.runId, agent_id: question.agentId, question_id: questionId }]
  }
}

/** Returns the events that withdraw the questions of a closed agent. */
export function withdrawnQuestions({ questions }: Pick<SessionState, "questions">, agentId: string): NewEvent[] {
  return questions.waiting
    .filter((question) => question.agentId === agentId)
    .map(({ questionId: question_id, runId: run_id }) => {
      return { type: "question_withdrawn", run_id, agent_id: agentId, question_id, reason: "The agent was closed." }
    })
}
