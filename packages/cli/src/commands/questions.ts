import { ruleText } from "@switchyard/core/agents/permissions/rule-text"
import type { Answer } from "@switchyard/core/agents/questions/schema"
import { questionTitle } from "@switchyard/core/work/headlines/question-title"
import { type Question, QuestionList } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { UsageError } from "../errors/errors.ts"

/** Lists agents' open questions in all sessions, with the information needed to answer them. */
export async function questions({ api, terminal }: Cli): Promise<void> {
  const { questions: waiting } = await api.ask("GET /api/v1/questions", QuestionList, {})
  if (terminal.json) terminal.printJson({ questions: waiting })
  else for (const one of waiting) show(terminal, one)
  if (!terminal.json && waiting.length === 0) terminal.notice("There are no open questions.")
}

function show(terminal: Cli["terminal"], { question_id, session_id, agent_id, agent_name, question }: Question): void {
  const asker = agent_id === "main" ? session_id : `${session_id}, agent ${agent_name ?? agent_id}`
  terminal.print(`${question_id}  ${questionTitle(question)}  (${asker})`)
  for (const line of detailsOf(question)) terminal.print(`    ${line}`)
}

function detailsOf(question: Question["question"]): string[] {
  if (question.kind === "plan") return question.plan.split("\n")
  if (question.kind === "text") return question.text.split("\n").slice(1)
  if (question.kind === "choice") {
    return question.questions.flatMap(({ options }) =>
      options.map(({ label, description }) => `${label}: ${description}`),
    )
  }
  const { rule, diff, args } = question
  const details = (diff ?? args ?? "").split("\n").filter(Boolean)
  return rule ? [...details, `With --session: ${ruleText(rule)}`] : details
}

export interface AnswerOptions {
  text?: string
  session?: boolean
  edits?: boolean
}

/** Answers a question. Only the first answer counts, whichever client sends it. */
export async function answer(cli: Cli, questionId: string, word: string, options: AnswerOptions): Promise<void> {
  const { api, terminal } = cli
  const { questions } = await api.ask("GET /api/v1/questions", QuestionList, {})
  const asked = questions.find((one) => one.question_id === questionId)
  if (!asked)
    throw new UsageError("There is no open question with this id. Run `switchyard questions` to list the open ones.")
  const { question, session_id } = asked
  const body = bodyOf(question, word, options)
  await api.answer({ sessionId: session_id, questionId }, body)
  if (!terminal.json) terminal.notice("Answered.")
}

function bodyOf(question: Question["question"], word: string, options: AnswerOptions) {
  if (word !== "deny" && question.kind === "choice") {
    return { choice: "allow" as const, answers: { [question.questions[0]?.question ?? ""]: word } }
  }
  if (word !== "deny" && question.kind === "text") return { choice: "allow" as const, text: word }
  return { choice: choiceOf(word, options), text: options.text }
}

function choiceOf(word: string, { text, session, edits }: AnswerOptions): Answer["choice"] {
  if (word === "deny") {
    if (session || edits) throw new UsageError("--session and --edits can only be used with allow.")
    return "deny"
  }
  if (word !== "allow")
    throw new UsageError(
      'The answer must be "allow" or "deny"; for a choice, an option\'s label; for a text question, your own text.',
    )
  if (text !== undefined) throw new UsageError("--text can only be used with deny.")
  if (session && edits) throw new UsageError("--session and --edits can't be combined.")
  if (edits) return "allow_all"
  return session ? "allow_session" : "allow"
}
