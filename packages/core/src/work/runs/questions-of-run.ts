import type { NewEvent } from "../../events.ts"
import type { SessionState } from "../../state.ts"
import { endsRun } from "./schema.ts"

type Questions = Pick<SessionState, "questions">

/**
 * Returns events that withdraw a run's unanswered questions, because the executor that waited for the answers is gone.
 * Leaves out kept questions, which remain open after their run ends.
 */
export function lostQuestions(
  { questions }: Questions,
  runId: string,
  reason = "The agent's runner stopped.",
): NewEvent[] {
  return questions.waiting
    .filter((question) => question.runId === runId && !question.isKept)
    .map(({ questionId, agentId }) => ({
      ...{ type: "question_withdrawn", run_id: runId, agent_id: agentId, question_id: questionId },
      reason,
    }))
}

/**
 * Returns the given events. Before each event that ends a run, inserts events that withdraw the run's open questions.
 */
export function withdrawing(state: Questions, events: NewEvent[]): NewEvent[] {
  const settled = new Set(events.flatMap((event) => (isSettling(event) ? [event.question_id] : [])))
  return events.flatMap((event) => {
    if (!endsRun(event) || event.run_id === undefined) return [event]
    const open = lostQuestions(state, event.run_id, "The run ended.")
    return [...open.filter((one) => "question_id" in one && !settled.has(one.question_id)), event]
  })
}

function isSettling(event: NewEvent) {
  return event.type === "question_answered" || event.type === "question_withdrawn" || event.type === "question_kept"
}

/**
 * Drops withdrawals of questions that aren't open. Such a question was never in the log, or a person has answered it in
 * the meantime, in which case the answer must count.
 */
export function withoutIdleWithdrawals({ questions }: Questions, events: NewEvent[]): NewEvent[] {
  const waiting = new Set(questions.waiting.map(({ questionId }) => questionId))
  return events.filter((event) => {
    if (event.type === "question_asked") waiting.add(event.question_id)
    return event.type !== "question_withdrawn" || waiting.delete(event.question_id)
  })
}
