import { COMPACTION_TOKENS } from "../../context/budgets.ts"
import { type HistoryMessage, historyTokens, isSummary } from "./model-history.ts"
import type { TopicFinding } from "./topic-finding.ts"

/** Approximate number of tokens to keep from the newest messages, and minimum number of questions to keep. */
const WINDOW_TOKENS = 4000
const MIN_QUESTIONS = 2
const MIN_CONFIDENCE = 0.5

/** Shortening of a conversation: which messages are kept, and what replaces the rest. */
export interface Compaction {
  case: "truncate" | "summarize"
  /** Number of the first message kept unchanged. */
  keptFrom: number
  /** Summary of the earlier messages. Empty if they are about another topic. */
  summary: string
}

/** Returns true if a conversation must be shortened: it is long, and there are messages before the ones to keep. */
export function needsCompaction(history: readonly HistoryMessage[]): boolean {
  return (
    tokensOf(history) >= COMPACTION_TOKENS &&
    history.slice(0, windowStart(history)).some((message) => !isSummary(message))
  )
}

/**
 * Shortens a conversation. If a new topic began, drops everything before it; otherwise replaces earlier messages with a
 * summary. Always keeps the newest messages.
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

/** Returns the estimated number of tokens. */
export function tokensOf(history: readonly HistoryMessage[]): number {
  return history.reduce((sum, message) => sum + historyTokens(message), 0)
}

/**
 * Returns the index of the first message to keep: the first question within the token window, or an earlier question if
 * fewer than `MIN_QUESTIONS` would be kept.
 */
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

/** Returns the index of the oldest question that is always kept. */
function startOfQuestions(history: readonly HistoryMessage[]): number {
  const questions = history.flatMap(({ role }, at) => (role === "user" ? [at] : []))
  return questions.at(-MIN_QUESTIONS) ?? 0
}

function numberAt(history: readonly HistoryMessage[], from: number): number {
  return history.slice(from).find((message) => !isSummary(message))?.number ?? 0
}
