import { Answer, type QuestionContent } from "../../../agents/questions/schema.ts"
import { readField } from "../../../log/payload.ts"
import { RunParked } from "../../runs/run-context.ts"
import type { Member } from "./member.ts"

/**
 * Asks a person a question and returns the answer. Parks the run until there is an answer. A repeated tool call doesn't
 * ask again.
 */
export async function askPerson(member: Member, question: QuestionContent): Promise<Answer> {
  const { context, messages } = member
  const asked = `que_${context.runId.slice(4)}-${messages.length}`
  const { times, answer } = await earlierAnswer(member, asked)
  if (answer) return answer
  const questionId = `${asked}-${times}`
  const waiting = context.state().questions.waiting.find((one) => one.questionId.startsWith(`${asked}-`))
  if (!waiting) {
    await context.decide(() => [{ type: "question_asked", question_id: questionId, kind: question.kind, question }])
  }
  throw new RunParked("it is waiting for the answer to a question", { question: waiting?.questionId ?? questionId })
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
