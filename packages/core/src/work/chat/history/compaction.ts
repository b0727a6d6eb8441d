import { COMPACTION_TOKENS } from "../../context/budgets.ts"
import type { TurnUsage } from "../schema.ts"
import { type HistoryMessage, historyTokens, isSummary } from "./model-history.ts"
import type { TopicFinding } from "./topic-finding.ts"

/** Approximate number of tokens, and minimum number of questions, to keep at the end of the conversation. */
const WINDOW_TOKENS = 4000
const MIN_QUESTIONS = 2
const MIN_CONFIDENCE = 0.5

/** Result of shortening a conversation: the messages to keep, and the text that replaces the others. */
export interface Compaction {
  case: "truncate" | "summarize"
  /** Number of the first message that is kept unchanged. */
  keptFrom: number
  /** Summary of the earlier messages. Empty if those messages are about another topic. */
  summary: string
}

/**
 * Returns true if a conversation must be shortened because it is long and has messages before those that must be kept.
 * `tokenRatio` is the ratio of the provider's token counts to the estimates.
 */
export function needsCompaction(history: readonly HistoryMessage[], tokenRatio = 1): boolean {
  return (
    tokensOf(history, tokenRatio) >= COMPACTION_TOKENS &&
    history.slice(0, windowStart(history, tokenRatio)).some((message) => !isSummary(message))
  )
}

/**
 * Shortens a conversation. If a new topic began, drops all messages before it. Otherwise, replaces earlier messages
 * with a summary. Always keeps the newest messages.
 */
export function compact(history: readonly HistoryMessage[], found: TopicFinding, tokenRatio = 1): Compaction {
  const start = windowStart(history, tokenRatio)
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

/** Returns the estimated number of tokens in a conversation, multiplied by `tokenRatio`. */
export function tokensOf(history: readonly HistoryMessage[], tokenRatio = 1): number {
  return Math.round(history.reduce((sum, message) => sum + historyTokens(message), 0) * tokenRatio)
}

/** Bounds for the result of `tokenRatioOf`, in case the provider's count doesn't represent the prompt. */
const [MIN_RATIO, MAX_RATIO] = [0.25, 4]

/**
 * Returns the ratio of the provider's token count to the estimate for a turn's prompt, or 1 if the provider reported no
 * count. The estimate needs this correction because the number of tokens per character differs by a factor of up to two
 * between languages, code and tokenizers.
 */
export function tokenRatioOf(
  usage: Pick<TurnUsage, "input" | "cache_read" | "cache_write">,
  estimatedTokens: number,
): number {
  const { input, cache_read, cache_write } = usage
  if (input === null || estimatedTokens <= 0) return 1
  const reported = input + (cache_read ?? 0) + (cache_write ?? 0)
  return reported === 0 ? 1 : Math.min(MAX_RATIO, Math.max(MIN_RATIO, reported / estimatedTokens))
}

/**
 * Returns the index of the first message to keep: the first question within the token window or, if the window contains
 * fewer than `MIN_QUESTIONS` questions, an earlier question.
 */
function windowStart(history: readonly HistoryMessage[], tokenRatio: number): number {
  let tokens = 0
  const above = history.findLastIndex((message) => {
    tokens += historyTokens(message) * tokenRatio
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
