import { ChatContext } from "@switchyard/core/work/chat/context-schema"
import { ChatTotals } from "@switchyard/core/work/chat/schema"
import * as z from "zod"
import { tokens } from "./turn-report.ts"

/** Fields of a chat's context that the report shows. */
export const ContextView = z.looseObject({ context: ChatContext.nullable(), session_totals: ChatTotals })

/** Describes the latest turn's context, one line per tier, and the session's usage so far. */
export function contextReport({ context, session_totals: totals }: z.infer<typeof ContextView>): string[] {
  if (context === null) return ["There is no context before the first message."]
  const tiers = context.tiers.map(({ tier, tokens: size, cached, contents }) => {
    const parts = contents.map(({ type, count }) => `${count} ${NAMES[type]}`)
    return `${tier.padEnd(7)} ${tokens(size).padStart(7)}  ${[...parts, cached ? "cached" : "sent anew"].join(" · ")}`
  })
  return [
    ...tiers,
    `history ${tokens(context.history_tokens).padStart(7)}  of ${tokens(context.history_budget)}`,
    totalsText(totals),
  ]
}

const NAMES = { file: "in full", symbol: "from the map", history: "messages" }

function totalsText(totals: ChatTotals): string {
  const { turns, prompt, cache_read, completion, cost_usd, unpriced_turns } = totals
  const share = prompt > 0 ? [`${Math.round((100 * cache_read) / prompt)}% cached`] : []
  const cost = unpriced_turns < turns ? [`$${cost_usd.toFixed(4)}`] : []
  const used = [`${tokens(prompt)} in`, ...share, `${tokens(completion)} out`, ...cost]
  return `${"total".padEnd(7)} ${String(turns).padStart(7)}  turns · ${used.join(" · ")}`
}
