import { Answer, type QuestionContent } from "./schema.ts"

/**
 * Converts an answer given in words. `allow` and similar words become choices. If a choice question has several parts,
 * the text answers the first part.
 */
export function answerInWords(question: QuestionContent, words: string): Answer {
  if (question.kind === "text") return { choice: "allow", text: words }
  const [asked] = question.kind === "choice" ? question.questions : []
  if (asked) return { choice: "allow", answers: { [asked.question]: words } }
  const choice = Answer.shape.choice.safeParse(words.trim().toLowerCase())
  return choice.success ? { choice: choice.data } : { choice: "deny", text: words }
}
