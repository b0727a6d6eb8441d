import { COMPACTION_TOKENS } from "../../context/budgets.ts"
import { type HistoryMessage, historyTokens, isSummary } from "./model-history.ts"
import type { TopicFinding } from "./topic-finding.ts"

/** The newest messages, of about so many tokens, stay as they are; and so many questions in any case. */
const WINDOW_TOKENS = 4000
const MIN_QUESTIONS = 2
const MIN_CONFIDENCE = 0.5

/** A shorter conversation: what stays of it, and what the model reads in place of the rest. */
export interface Compaction {
  case: "truncate" | "summarize"
  /** The number of the first message that stays as it is. */
  keptFrom: number
  /** Empty where the rest is about something else. */
  summary: string
}

/** Whether a conversation is to be made shorter: it is long, and there is something before the messages that stay. */
export function needsCompaction(history: readonly HistoryMessage[]): boolean {
  return (
    tokensOf(history) >= COMPACTION_TOKENS &&
    history.slice(0, windowStart(history)).some((message) => !isSummary(message))
  )
}

/**
 * Shortens a conversation by what was found in it. Where a new topic began, what came before it is left out; else a summary
 * takes its place. The newest messages stay either way.
 */
export function compact(history: readonly HistoryMessage[], found: TopicFinding): Compaction {
  const start = windowStart(history)
  const { boundary, confidence, summary } = found
  const isNewTopic = boundary !== null && confidence >= MIN_CONFIDENCE && boundary >= start && boundary < history.length
  const question = history.findLastIndex(({ role }, at) => role === "user" && at <= (boundary ?? 0))
  const from = isNewTopic ? Math.min(question, startOfQuestions(history)) : start
  const keptFrom = numberAt(history, from)
  if (isNewTopic) return { case: "truncate", keptFrom, summary: "" }
  return { case: "summarize", keptFrom, summary: summary.trim() || UNKNOWN_SUMMARY }
}

const UNKNOWN_SUMMARY =
  "The earlier part of this conversation is not shown any more. Ask the person where something of it is needed."

/** Tokens of messages, estimated. */
export function tokensOf(history: readonly HistoryMessage[]): number {
  return history.reduce((sum, message) => sum + historyTokens(message), 0)
}

/** The index of the first message that stays: with a question, as many tokens as the window has, or the newest questions. */
function windowStart(history: readonly HistoryMessage[]): number {
  let tokens = 0
  const above = history.findLastIndex((message) => {
    tokens += historyTokens(message)
    return tokens > WINDOW_TOKENS
  })
  const question = history.findIndex(({ role }, at) => at > above && role === "user")
  const inWindow = question === -1 ? history.length : question
  return Math.min(inWindow, startOfQuestions(history))
}

/** The index of the oldest question of those that stay in any case. */
function startOfQuestions(history: readonly HistoryMessage[]): number {
  const questions = history.flatMap(({ role }, at) => (role === "user" ? [at] : []))
  return questions.at(-MIN_QUESTIONS) ?? 0
}

function numberAt(history: readonly HistoryMessage[], from: number): number {
  return history.slice(from).find((message) => !isSummary(message))?.number ?? 0
}
