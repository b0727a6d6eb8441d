import { Answer, type QuestionContent } from "../../../agents/questions/schema.ts"
import { readField } from "../../../log/payload.ts"
import { RunParked } from "../../runs/run-context.ts"
import type { WaitsFor } from "../../runs/schema.ts"
import type { Member } from "./member.ts"

/**
 * Asks a person a question and returns the answer. Parks the run until there is an answer, or until an event in `waits`
 * happens. While the conversation is at the same position, repeated calls wait for the same question.
 */
export async function askPerson(member: Member, question: QuestionContent, waits: WaitsFor = {}): Promise<Answer> {
  const { context } = member
  const asked = questionPrefix(member)
  const { times, answer } = await earlierAnswer(member, asked)
  if (answer) return answer
  const questionId = `${asked}-${times}`
  const waiting = context.state().questions.waiting.find((one) => one.questionId.startsWith(`${asked}-`))
  if (!waiting) {
    await context.decide(() => [{ type: "question_asked", question_id: questionId, kind: question.kind, question }])
  }
  const reason = "it is waiting for the answer to a question"
  throw new RunParked(reason, { ...waits, question: waiting?.questionId ?? questionId })
}

/**
 * Withdraws the question that was asked last, because the conversation continues without it. Returns the answer if
 * there already is one.
 */
export async function settleQuestion(member: Member): Promise<Answer | undefined> {
  const asked = questionPrefix(member)
  await member.context.decide(({ questions }) =>
    questions.waiting
      .filter(({ questionId }) => questionId.startsWith(`${asked}-`))
      .map(({ questionId: question_id }) => ({ type: "question_withdrawn", question_id, reason: "There is news." })),
  )
  return (await earlierAnswer(member, asked)).answer
}

/** Returns the prefix of a question's ID, which contains the question's position in the conversation. */
function questionPrefix({ context, messages }: Member): string {
  return `que_${context.runId.slice(4)}-${messages.length}`
}

async function earlierAnswer({ deps, context }: Member, asked: string) {
  let times = 0
  let answer: Answer | undefined
  for await (const event of context.history()) {
    if (event.type === "question_asked" && event.question_id.startsWith(`${asked}-`)) times++
    if (event.type !== "question_answered" || !event.question_id.startsWith(`${asked}-`)) continue
    answer = await readField(deps.blobs, event.answer, Answer, context)
  }
  return { times, answer }
}
