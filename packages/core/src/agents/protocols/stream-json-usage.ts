import { plus, totalOf } from "../../work/usage/counts.ts"
import type { AgentTask } from "../clis/cli.ts"
import type { AgentEvent, AgentUsage, StreamJsonDialect } from "../clis/protocol.ts"
import { asNumber, asObject, asText, type JsonObject } from "./json-protocol.ts"

/** Usage and context of an agent that speaks Claude's stream-json. */
export interface StreamJsonUsage {
  /** Adds the usage reported with an answer from the model. `isOwn` is false for answers to sub-agents. */
  add(answer: JsonObject, isOwn: boolean): void
  /** Returns the turn's usage so far. Call this after a tool's result, when the model's last message is complete. */
  soFar(): AgentEvent[]
  /** Returns the usage that is reported in a turn's result, and begins the next turn. */
  turnEnded(result: JsonObject): AgentEvent[]
}

export function createStreamJsonUsage(task: AgentTask, dialect: StreamJsonDialect): StreamJsonUsage {
  /**
   * Usage of each answer in this turn, by message ID. A later report for the same message replaces the earlier one,
   * because the input is reported before the output.
   */
  const answers = new Map<string, AgentUsage>()
  let counted = 0
  /** Last answer to the agent itself, and the model that wrote it. Sub-agents have their own contexts. */
  let last: { usage: AgentUsage; model: string } | undefined
  let windowTokens: number | null = null
  // Total cost of the native session before this turn. It is needed because the CLI only reports totals. Unknown at
  // first if the session is older than this process.
  let costBefore: number | null = task.resume === null ? 0 : null

  function soFar(): AgentEvent[] {
    if (answers.size === counted) return []
    counted = answers.size
    return [{ type: "usage", usage: [...answers.values()].reduce(plus), costUsd: null }, ...context()]
  }

  function context(): AgentEvent[] {
    return last ? [{ type: "context", usedTokens: totalOf(last.usage), windowTokens }] : []
  }

  function add({ id, usage, model }: JsonObject, isOwn: boolean): void {
    if (usage === undefined) return
    const counts = usageOf(asObject(usage), dialect)
    answers.set(asText(id), counts)
    if (isOwn && totalOf(counts) > 0) last = { usage: counts, model: asText(model) }
  }

  function turnEnded(result: JsonObject): AgentEvent[] {
    answers.clear()
    counted = 0
    windowTokens = windowIn(result, last?.model ?? "") ?? windowTokens
    const total = asNumber(result.total_cost_usd)
    const costUsd = total === null || costBefore === null ? null : total - costBefore
    costBefore = total
    if (task.resume !== null && dialect.resumedUsageIsTotal) return context()
    return [{ type: "usage", usage: usageOf(asObject(result.usage), dialect), costUsd }, ...context()]
  }

  return { add, soFar, turnEnded }
}

/**
 * Returns the context window reported for this model in a turn's result. If the window is enlarged, brackets follow the
 * model's name there.
 */
function windowIn({ modelUsage }: JsonObject, model: string): number | null {
  const named = Object.entries(asObject(modelUsage)).find(([name]) => name === model || name.startsWith(`${model}[`))
  return asNumber(asObject(named?.[1]).contextWindow)
}

function usageOf(usage: JsonObject, { inputIncludesCacheRead }: StreamJsonDialect): AgentUsage {
  const input = asNumber(usage.input_tokens)
  const cacheRead = asNumber(usage.cache_read_input_tokens)
  return {
    input: inputIncludesCacheRead && input !== null ? input - (cacheRead ?? 0) : input,
    cache_read: cacheRead,
    cache_write: asNumber(usage.cache_creation_input_tokens),
    output: asNumber(usage.output_tokens),
  }
}
