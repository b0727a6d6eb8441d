import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { SessionState } from "../../state.ts"
import { ruleFor } from "../permissions/decide.ts"
import { answeredText } from "./answer-text.ts"
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
  if (question.isKept) return [given, answerMessage(question, answeredText(content, answer))]
  if (answer.choice === "allow_all") return [given, { type: "agent_mode_changed", ...about, mode: "accept_edits" }]
  if (content.kind === "plan" && answer.choice !== "deny") {
    return [given, { type: "agent_mode_changed", ...about, mode: "ask" }]
  }
  if (answer.choice === "allow_session" && content.kind === "permission") {
    return [given, { type: "agent_tool_allowed", ...about, rule: ruleFor(content) }]
  }
  return [given]
}

/** The answer as a message to an agent that no longer waits for it. */
function answerMessage({ questionId, agentId }: WaitingQuestion, content: string): NewEvent {
  return {
    type: "agent_message_queued",
    ...{ agent_id: agentId, message_id: `${questionId}-answer`, content, source: "answer" },
  }
}

/** Leaves a question open beyond its run, whose agent no longer waits. Does nothing for one that was answered meanwhile. */
export function keepQuestion(questionId: string): Rule {
  return (state) => {
    const question = state.questions.waiting.find((one) => one.questionId === questionId)
    if (!question || question.isKept) return []
    return [{ type: "question_kept", run_id: question.runId, agent_id: question.agentId, question_id: questionId }]
  }
}

/** The events by which the questions of an agent that leaves are withdrawn. */
export function withdrawnQuestions({ questions }: Pick<SessionState, "questions">, agentId: string): NewEvent[] {
  return questions.waiting
    .filter((question) => question.agentId === agentId)
    .map(({ questionId: question_id, runId: run_id }) => {
      return { type: "question_withdrawn", run_id, agent_id: agentId, question_id, reason: "The agent was closed." }
    })
}
