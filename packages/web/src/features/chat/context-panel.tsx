import { formatCount } from "@switchyard/core/text/format"
import { clsx } from "clsx"
import type { ReactNode } from "react"
import { count } from "./count.ts"
import type { ChatMessage, ChatView, TurnResult } from "./use-chat.ts"

interface Props {
  chat: ChatView | undefined
  messages: ChatMessage[]
  children?: ReactNode
}

/** Tokens used by the last turn and by the session, and how many came from the provider's cache. */
export function ContextPanel({ chat, messages, children }: Props) {
  const last = messages.findLast(({ result }) => result !== null)?.result ?? null
  const totals = chat?.totals
  const hits = totals && totals.prompt > 0 ? totals.cache_read / totals.prompt : null
  return (
    <section aria-label="Context" className="flex h-full flex-col gap-3 overflow-y-auto p-3 text-sm">
      <h2 className="font-semibold">Context</h2>
      {children}
      <div className="rounded-md border border-line bg-sheet px-3 py-2">
        {last ? <LastTurn result={last} /> : <Unused />}
      </div>
      {totals && totals.turns > totals.estimated_turns && (
        <dl className="grid grid-cols-[1fr_auto] gap-x-3 gap-y-1 text-ink-2 nums">
          <dt>Turns</dt>
          <dd className="text-right">{totals.turns}</dd>
          <dt>Input tokens</dt>
          <dd className="text-right">{count(totals.prompt)}</dd>
          <dt>Cached</dt>
          <dd className="text-right">{hits === null ? "–" : percent(hits)}</dd>
          <dt>Output tokens</dt>
          <dd className="text-right">{count(totals.completion)}</dd>
          {totals.cost_usd > 0 && (
            <>
              <dt>{totals.unpriced_turns > 0 ? "Known cost" : "Cost"}</dt>
              <dd className="text-right">{dollars(totals.cost_usd)}</dd>
            </>
          )}
        </dl>
      )}
      {totals && totals.turns > totals.estimated_turns && totals.estimated_turns > 0 && (
        <p className="text-xs text-ink-3">
          Totals exclude {formatCount(totals.estimated_turns, "turn")} without token counts.
        </p>
      )}
    </section>
  )
}

function Unused() {
  return <p className="text-ink-3">Token usage appears here after your first message.</p>
}

function LastTurn({ result: { token_usage: usage, cost_usd: cost } }: { result: TurnResult }) {
  const { input, cache_read: read, cache_write: written, output, estimated_input: estimated } = usage
  if (![input, read, written, output, estimated].some(Boolean)) return <p>The last turn didn't call a model.</p>
  if (input === null && output === null) {
    return (
      <>
        <p className="font-semibold text-ink-2">Last turn (estimated)</p>
        <p className="text-ink-2 nums">
          {count(estimated ?? 0)} in · {count(usage.estimated_output ?? 0)} out
        </p>
      </>
    )
  }
  const prompt = (input ?? 0) + (read ?? 0) + (written ?? 0)
  const share = prompt > 0 ? (read ?? 0) / prompt : 0
  return (
    <>
      <p className={clsx("font-semibold", share >= 0.5 ? "text-ok" : share >= 0.2 ? "text-need" : "text-ink-2")}>
        {percent(share)} from cache
      </p>
      <p className="text-ink-2 nums">
        Last turn: {count(prompt)} in · {count(output ?? 0)} out
      </p>
      <p className="text-ink-2 nums">
        {count(read ?? 0)} from cache · {count(written ?? 0)} newly cached
        {cost != null && ` · ${dollars(cost)}`}
      </p>
    </>
  )
}

/** Formats dollars. Small amounts get more digits, because many turns cost less than a cent. */
function dollars(usd: number): string {
  return `$${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}
