import { isAppError } from "../../../errors.ts"
import { openSessionLog } from "../../../kernel/session-log.ts"
import { ModelError } from "../../../models/errors.ts"
import { smallModelOf } from "../../../models/names.ts"
import { estimateTokens } from "../../context/budgets.ts"
import { createHarness } from "../../harness/context.ts"
import { generateObject } from "../../harness/generate-object.ts"
import { compact, needsCompaction, tokenRatioOf, tokensOf } from "../history/compaction.ts"
import { type HistoryMessage, modelHistory, readPath } from "../history/model-history.ts"
import { nothingFound, parseTopicFinding, TOPIC_PROMPT, TopicFinding, topicQuestion } from "../history/topic-finding.ts"
import type { ChatDeps, Turn } from "./turn.ts"

/**
 * Shortens a long conversation for later turns, after the turn is settled. If no model answers, the conversation
 * remains unchanged, and the next turn tries again.
 */
export async function compactHistory(deps: ChatDeps, turn: Turn): Promise<void> {
  const { context, journal } = turn
  const { signal } = context
  const session = await openSessionLog(deps, context.sid, { signal })
  const { chat_id: chatId } = journal.asked
  const history = modelHistory(await readPath(deps, session, { chatId, beforeSeq: session.state.head + 1, signal }))
  const tokenRatio = ratioOf(turn)
  if (!needsCompaction(history, tokenRatio)) return
  const about = turn.ids
  await context.write([{ type: "chat_compaction_started", ...about }])
  const before = { messages_before: history.length, tokens_before: tokensOf(history, tokenRatio) }
  const found = await findTopic(deps, turn, history)
  if (!found) {
    const unchanged = { kept_from: history[0]?.number || 1, summary: "", ...before }
    const after = { messages_after: history.length, tokens_after: before.tokens_before }
    await context.write([{ type: "chat_compacted", ...about, case: "none", ...unchanged, ...after }])
    return
  }
  const { case: made, keptFrom, summary } = compact(history, found, tokenRatio)
  const kept = history.filter(({ number }) => number >= keptFrom)
  const after = {
    messages_after: kept.length,
    tokens_after: tokensOf(kept, tokenRatio) + estimateTokens(summary.length),
  }
  const compacted = { case: made, kept_from: keptFrom, summary, ...before, ...after }
  await context.write([{ type: "chat_compacted", ...about, ...compacted }])
}

function ratioOf({ journal: { added, answered, promptTokens } }: Turn): number {
  // If the turn called the model twice, its answer includes the tokens of both calls, so use the usage of the first
  // call.
  const usage = added?.usage ?? answered?.usage
  return usage && promptTokens !== null ? tokenRatioOf(usage, promptTokens) : 1
}

/** Asks the provider's small model or, if that fails, the turn's own model. Returns undefined if both fail. */
async function findTopic(
  deps: ChatDeps,
  turn: Turn,
  history: readonly HistoryMessage[],
): Promise<TopicFinding | undefined> {
  const { model } = turn.context
  for (const name of new Set([smallModelOf(model), model])) {
    try {
      return await askForTopic(deps, turn, name, history)
    } catch (error) {
      if (isAppError(error, "workflow_error")) return nothingFound
      if (isAppError(error, "budget_reached")) return undefined
      if (!(error instanceof ModelError)) throw error
    }
  }
  return undefined
}

function askForTopic(
  deps: ChatDeps,
  turn: Turn,
  modelName: string,
  history: readonly HistoryMessage[],
): Promise<TopicFinding> {
  const cacheKey = `${turn.journal.asked.chat_id}/topic`
  return generateObject(createHarness(deps, turn.context, { modelName, cacheKey }), {
    system: TOPIC_PROMPT,
    output: { name: "topic", schema: TopicFinding },
    ...{ prompt: topicQuestion(history), parse: parseTopicFinding },
  })
}
