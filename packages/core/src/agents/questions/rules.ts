import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import { ruleFor } from "../permissions/decide.ts"
import type { Answer, QuestionContent } from "./schema.ts"
import type { WaitingQuestion } from "./state.ts"

const NOT_WAITING = "No such question waits for an answer."

/**
 * Answers a question of an agent. The first answer counts: a later one throws `question_answered` with what was answered, and
 * by whom; a question that needs no answer any more throws `question_not_found`. `content` is absent for a question that
 * didn't wait any more when its content was to be read.
 */
export function answerQuestion(
  questionId: string,
  { content, answer, by }: { content: QuestionContent | undefined; answer: Answer; by: string },
): Rule {
  return (state) => {
    const question = state.questions.waiting.find((one) => one.questionId === questionId)
    if (question && content && isLive(state)) return answered(question, content, answer, by)
    const earlier = state.questions.answered.find((one) => one.questionId === questionId)
    if (!earlier) return new AppError("question_not_found", NOT_WAITING, { question_id: questionId })
    const message = `This question was answered already, by ${earlier.by}: ${earlier.choice}.`
    return new AppError("question_answered", message, { choice: earlier.choice, by: earlier.by })
  }
}

function answered(question: WaitingQuestion, content: QuestionContent, answer: Answer, by: string): NewEvent[] {
  const about = { run_id: question.runId, agent_id: question.agentId }
  const given: NewEvent = { type: "question_answered", ...about, question_id: question.questionId, answer, by }
  if (answer.choice === "allow_all") return [given, { type: "agent_mode_changed", ...about, mode: "accept_edits" }]
  if (content.kind === "plan" && answer.choice !== "deny") {
    return [given, { type: "agent_mode_changed", ...about, mode: "ask" }]
  }
  if (answer.choice === "allow_session" && content.kind === "permission") {
    return [given, { type: "agent_tool_allowed", ...about, rule: ruleFor(content) }]
  }
  return [given]
}
