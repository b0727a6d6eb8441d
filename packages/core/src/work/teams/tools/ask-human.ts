import * as z from "zod"
import { Answer } from "../../../agents/questions/schema.ts"
import { readField } from "../../../log/payload.ts"
import { defineDurableTool } from "../../harness/durable-tools.ts"
import { RunParked } from "../../runs/run-context.ts"
import type { Member } from "./member.ts"

/** Asks a person, and parks the run until there is an answer. Each question has its own, whoever else asks meanwhile. */
export function askHumanTool({ deps, context, messages }: Member) {
  return defineDurableTool({
    name: "ask_human",
    description: "Ask a person something that you can't go on without. Waits for the answer.",
    parameters: z.object({ question: z.string().min(1).max(4000) }),
    async run({ question }) {
      const asked = `que_${context.runId.slice(4)}-${messages.length}`
      const { times, answer } = await earlierAnswer(asked)
      if (answer)
        return { answer: answer.text ?? (answer.choice === "deny" ? "The person declined to answer." : "Yes.") }
      const questionId = `${asked}-${times}`
      const waiting = context.state().questions.waiting.find((one) => one.questionId.startsWith(`${asked}-`))
      const content = { kind: "text" as const, text: question }
      if (!waiting) {
        await context.decide(() => [
          { type: "question_asked", question_id: questionId, kind: "text", question: content },
        ])
      }
      throw new RunParked("it waits for the answer to a question", { question: waiting?.questionId ?? questionId })
    },
  })

  async function earlierAnswer(asked: string) {
    let times = 0
    let answer: Answer | undefined
    for await (const event of context.history()) {
      if (event.type === "question_asked" && event.question_id.startsWith(`${asked}-`)) times++
      if (event.type !== "question_answered" || !event.question_id.startsWith(`${asked}-`)) continue
      answer = await readField(deps.blobs, event.answer, Answer, context)
    }
    return { times, answer }
  }
}
