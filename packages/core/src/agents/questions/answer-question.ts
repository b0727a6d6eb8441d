import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Rule, Verdict } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import { BUDGET_ANSWERS, type BudgetScope, noWorkBudget, type WorkBudget } from "../../people/budget/schema.ts"
import { looseningRefused, type ProtectedOptions } from "../../protections.ts"
import type { SessionState } from "../../state.ts"
import { cancelRun } from "../../work/runs/rules.ts"
import { activeRuns } from "../../work/runs/state.ts"
import { decidePermission } from "../permissions/decide.ts"
import type { PermissionRequest, PermissionRule } from "../permissions/schema.ts"
import { answeredText } from "./answer-text.ts"
import type { Answer, QuestionContent } from "./schema.ts"
import type { WaitingQuestion } from "./state.ts"

/** A person's answer. If the person may not weaken protections, the answer can't raise a budget. */
export interface GivenAnswer extends Pick<ProtectedOptions, "mayLoosen"> {
  answer: Answer
  by: string
  now: number
}

const NOT_WAITING = "No such question is waiting for an answer."

/**
 * Answers an agent's question. Only the first answer counts. A later one throws `question_answered`, with the first
 * answer and its author. Throws `question_not_found` if the question no longer needs an answer. `content` is undefined
 * if the question was already closed when its content was to be read.
 */
export function answerQuestion(
  questionId: string,
  { content, ...given }: GivenAnswer & { content: QuestionContent | undefined },
): Rule {
  return (state) => {
    const question = state.questions.waiting.find((one) => one.questionId === questionId)
    if (question && content && isLive(state)) {
      if (content.kind !== "choice" || !content.budget) return answered(question, content, given)
      return answeredBudget(state, question, content, given)
    }
    const earlier = state.questions.answered.find((one) => one.questionId === questionId)
    if (!earlier) return new AppError("question_not_found", NOT_WAITING, { question_id: questionId })
    const message = `This question was already answered by ${earlier.by}: ${earlier.choice}.`
    return new AppError("question_answered", message, { choice: earlier.choice, by: earlier.by })
  }
}

/** True if, because of a rule, this tool use must be asked about in every mode. */
export function isAskedByRule(rules: PermissionRule[], request: PermissionRequest): boolean {
  return decidePermission({ mode: "bypass", rules }, request).effect === "ask"
}

function answered(question: WaitingQuestion, content: QuestionContent, { answer, by }: GivenAnswer): Verdict {
  const about = { run_id: question.runId, agent_id: question.agentId }
  const given: NewEvent = { type: "question_answered", ...about, question_id: question.questionId, answer, by }
  if (question.isKept) return [given, answerMessage(question, answeredText(content, answer))]
  if (answer.choice === "allow_all") return [given, { type: "agent_mode_changed", ...about, mode: "accept_edits" }]
  if (content.kind === "plan" && answer.choice !== "deny") {
    return [given, { type: "agent_mode_changed", ...about, mode: "ask" }]
  }
  if (answer.choice === "allow_session" && content.kind === "permission") {
    if (!content.rule)
      return new AppError(
        "validation_error",
        "No rule can allow this for the whole session. Answer with allow or deny.",
      )
    return [given, { type: "agent_tool_allowed", ...about, rule: content.rule }]
  }
  return [given]
}

/** Returns the answer as a message to an agent that is no longer waiting for it. */
function answerMessage({ questionId, agentId }: WaitingQuestion, content: string): NewEvent {
  return {
    type: "agent_message_queued",
    ...{ agent_id: agentId, message_id: `${questionId}-answer`, content, source: "answer" },
  }
}

interface BudgetContent {
  questions: Extract<QuestionContent, { kind: "choice" }>["questions"]
  budget?: WorkBudget & { scope: BudgetScope }
}

/** Raises the budget that a question is about, or cancels the runs that are waiting for the answer. */
function answeredBudget(
  state: SessionState,
  question: WaitingQuestion,
  { questions, budget }: BudgetContent,
  { answer, by, now, mayLoosen }: GivenAnswer,
): Verdict {
  const about = { run_id: question.runId, agent_id: question.agentId }
  const given: NewEvent = { type: "question_answered", ...about, question_id: question.questionId, answer, by }
  const labels = questions[0]?.options.map(({ label }) => label) ?? []
  const chosen = answer.choice === "deny" ? BUDGET_ANSWERS.stop : (Object.values(answer.answers ?? {})[0] ?? labels[0])
  if (!budget || chosen === undefined || !labels.includes(chosen)) {
    return new AppError("validation_error", `The answer must be one of these: ${labels.join("; ")}.`, { labels })
  }
  if (chosen === BUDGET_ANSWERS.stop) return [given, ...cancellations(state, question.questionId, now)]
  const { scope, ...raised } = budget
  const refused = looseningRefused(`the ${scope}'s budget`, { mayLoosen })
  if (refused) return refused
  const set = chosen === BUDGET_ANSWERS.unlimited ? noWorkBudget : raised
  return [given, { type: "budget_set", ...(scope === "run" && about), scope, ...set }]
}

/** Returns the events that cancel the runs that wait for the answer to a question. */
function cancellations(state: SessionState, questionId: string, now: number): NewEvent[] {
  const waiting = activeRuns(state).filter(({ waitsFor }) => waitsFor?.question === questionId)
  const ends = waiting.map(({ runId }) => cancelRun(runId, "Its budget is used up.", now)(state))
  const events = ends.flatMap((verdict) => (verdict instanceof AppError ? [] : verdict))
  // Skip the events that withdraw the question or resume runs. The answer in this batch already wakes all waiting runs.
  return events.filter(({ type }) => type !== "question_withdrawn" && type !== "run_resumed")
}
