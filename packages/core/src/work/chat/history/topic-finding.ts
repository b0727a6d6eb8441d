import * as z from "zod"
import { AppError } from "../../../errors.ts"
import { jsonIn } from "../../harness/answer-json.ts"
import { type HistoryMessage, isSummary } from "./model-history.ts"

/** A small model's analysis of a conversation. */
export const TopicFinding = z.object({
  boundary: z.int().nonnegative().nullable().describe("Number of the first message of the newest topic"),
  confidence: z.number().min(0).max(1),
  summary: z.string(),
})
export type TopicFinding = z.infer<typeof TopicFinding>

/** Result to use if the small model's answer is unusable. */
export const nothingFound: TopicFinding = { boundary: null, confidence: 0, summary: "" }

const SHOWN_MESSAGES = 50
const SHOWN_CHARS = 1000

export const TOPIC_PROMPT = `You read a conversation between a person and an assistant about a codebase, of which each message stands behind its number. Its beginning will be left out from now on, so find out two things.

boundary: the number of the message with which the newest topic begins, or null if the whole conversation is about one. A topic is a task: a new question about the same task begins no topic.
confidence: between 0 and 1, how certain you are of that.
summary: what somebody must know who goes on without having read the conversation, in at most 400 words: what is to be done and why, what was decided, which files were changed and how, what is still open, and names, paths and numbers that are needed. No introduction.

Answer with one JSON object: {"boundary": number or null, "confidence": number, "summary": string}`

/**
 * Returns the conversation in the form shown to a small model: the summary of earlier messages, and the newest
 * messages.
 */
export function topicQuestion(history: readonly HistoryMessage[]): string {
  const first = Math.max(0, history.length - SHOWN_MESSAGES)
  const texts = history.flatMap((message, at) => {
    const { role, content } = message
    // Show summaries in full, because nothing else remains of the earlier messages.
    const shown = isSummary(message) ? content : shortened(message)
    return isSummary(message) || at >= first ? [`[${at}] ${role.toUpperCase()}: ${shown}`] : []
  })
  return texts.join("\n\n")
}

/**
 * Shortens a message, but keeps the results of its edits. Without these, the summary would claim that failed edits were
 * applied.
 */
function shortened({ content, results = "" }: HistoryMessage): string {
  const said = content.slice(0, content.length - results.length)
  return `${said.slice(0, SHOWN_CHARS)}${results.slice(0, SHOWN_CHARS)}`.toWellFormed()
}

/** Parses a finding. Throws `invalid_request` if the answer doesn't contain a valid finding. */
export function parseTopicFinding(answer: string): TopicFinding {
  for (const value of jsonIn(answer).values) {
    const parsed = TopicFinding.safeParse(value)
    if (parsed.success) return parsed.data
  }
  throw new AppError(
    "invalid_request",
    "The answer doesn't contain a JSON object with boundary, confidence and summary.",
  )
}
