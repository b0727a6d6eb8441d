import { COMPACTION_TOKENS, estimateTokens, messageTokens, truncateHistory, unknownRatio } from "../context/budgets.ts"
import type { ChatMessage } from "./schema.ts"
import type { Transcript } from "./transcript.ts"

/** A message of the conversation as the model reads it. */
export interface HistoryMessage {
  /** Names the message among the others, in their order. */
  number: number
  role: "user" | "assistant"
  content: string
}

/**
 * The conversation before a turn as the model reads it. It never begins with an assistant; what was never answered stays, for
 * nothing of the past may change once it was sent.
 */
export function modelHistory({ messages, compaction }: Transcript, beforeSeq: number): HistoryMessage[] {
  const isKept = ({ seq, content }: ChatMessage) =>
    seq < beforeSeq && seq >= (compaction?.keptFrom ?? 0) && content !== ""
  const kept = messages.filter(isKept).map(toHistory)
  const summary = compaction && compaction.summary !== "" ? summaryPair(compaction.summary) : []
  const history = withoutOldest([...summary, ...kept])
  const first = history.findIndex(({ role }) => role === "user")
  return first === -1 ? [] : history.slice(first)
}

/**
 * A conversation without its oldest part, once it is twice as long as one may be. Each message is counted as it came, so that
 * after such a cut nothing is cut again for a long while: every cut costs the cached prefix.
 */
function withoutOldest(history: readonly HistoryMessage[]): HistoryMessage[] {
  let kept: (HistoryMessage & { tokens: number })[] = []
  for (const message of history) {
    const tokens = messageTokens(estimateTokens(unknownRatio, message.content.length))
    kept = truncateHistory([...kept, { ...message, tokens }], COMPACTION_TOKENS)
  }
  return kept.map(({ tokens: _, ...message }) => message)
}

function toHistory({ seq: number, role, content }: ChatMessage): HistoryMessage {
  return { number, role, content }
}

function summaryPair(summary: string): HistoryMessage[] {
  return [
    { number: 0, role: "user", content: `Summary of our conversation so far:\n\n${summary}` },
    { number: 1, role: "assistant", content: "Ok." },
  ]
}
