import { Answer, type QuestionContent } from "./schema.ts"

/**
 * Converts an answer in words. `allow` and similar words are choices, and for a choice question, the first question is
 * answered.
 */
export function answerInWords(question: QuestionContent, words: string): Answer {
  if (question.kind === "text") return { choice: "allow", text: words }
  const [asked] = question.kind === "choice" ? question.questions : []
  if (asked) return { choice: "allow", answers: { [asked.question]: words } }
  const choice = Answer.shape.choice.safeParse(words.trim().toLowerCase())
  return choice.success ? { choice: choice.data } : { choice: "deny", text: words }
}
