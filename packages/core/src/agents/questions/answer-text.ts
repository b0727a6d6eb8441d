import { questionTitle } from "../../work/headlines/question-title.ts"
import type { Answer, QuestionContent } from "./schema.ts"

/** Returns a question with its answer, for an agent that is no longer waiting for it. */
export function answeredText(question: QuestionContent, answer: Answer): string {
  return `You asked: ${questionTitle(question)}\n\nThe answer: ${answerText(question, answer)}`
}

/** Returns a person's answer as text for the agent. */
export function answerText({ kind }: Pick<QuestionContent, "kind">, { choice, text, answers = {} }: Answer): string {
  const words = text?.trim()
  if (kind === "text" && words) return words
  if (choice === "deny") return words ? `No. Instead: ${words}` : REFUSALS[kind]
  const chosen = Object.entries(answers).map(([asked, label]) => `${asked} ${label}`)
  if (chosen.length > 0) return chosen.join("\n")
  if (kind !== "permission") return "Yes."
  return choice === "allow" ? "Yes, this once." : "Yes, and later, too."
}

const LEFT = "No person wants to answer. Decide yourself, and give your choice and the reason."
const REFUSALS = { permission: "No. Continue without it.", plan: "No. Continue without it.", choice: LEFT, text: LEFT }
